/** Whether an id is the one that programs send which have forgotten to make one. */
export function isNil(uuid: string): boolean {
  return uuid === '00000000-0000-0000-0000-000000000000';
}
