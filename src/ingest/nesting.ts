// How deep the values of a post may be nested.

/** More than a post can use. Much deeper values overflow the stack of code that reads them value by value. */
const maxDepth = 100;

export function isNestedTooDeeply(value: unknown): boolean {
  let layer = [value].filter(isContainer);
  for (let n = 0; n < maxDepth && layer.length > 0; n += 1) {
    layer = layer.flatMap((each) => Object.values(each).filter(isContainer));
  }
  return layer.length > 0;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
