// Tables that scroll can be reached by the keyboard; the theme wraps them after it has loaded.
new MutationObserver(() => {
  for (const part of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])")) part.tabIndex = 0;
}).observe(document.body, {childList: true, subtree: true});
