"""The engine over the model of an API: it runs commands on the model and the target, and compares what views show.

`rows.py` says what a model is made of. The engine knows no API: `<api>/model/` has the rows, and
`<api>/requirements/test_model.py` declares the requirements that follow from them.
"""
