/** Whether an id is the nil UUID, which a program sends when it has forgotten to make an id. */
export function isNil(uuid: string): boolean {
  return uuid === '00000000-0000-0000-0000-000000000000';
}
