// What the programs of this folder share: the arguments, and lines for tests/clients/steps.py.

import assert from "node:assert/strict";

const [url, token, _credential, ...names] = process.argv.slice(2);

export const session = { url, token, names: names.map((pair) => pair.split("=")) };

export function did(step) {
  console.log(`step ${step}`);
}

// The error that a call must raise.
export async function refused(call) {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return assert.fail(`not refused: ${call}`);
}
