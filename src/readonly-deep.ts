/** The same value, of which no array and no field is written to: what a caller has frozen is taken as well. */
export type ReadonlyDeep<Value> = Value extends readonly (infer Item)[]
  ? readonly ReadonlyDeep<Item>[]
  : Value extends Readonly<Record<string, unknown>>
    ? { readonly [Key in keyof Value]: ReadonlyDeep<Value[Key]> }
    : Value;
