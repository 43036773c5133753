type Words<Text extends string> = Text extends `${infer First} ${infer Rest}`
  ? readonly [First, ...Words<Rest>]
  : readonly [Text];

/** Names apart by spaces: `words('a b')` is `['a', 'b']`, also to the compiler. */
export function words<const Text extends string>(text: Text): Words<Text> {
  return text.split(' ') as unknown as Words<Text>;
}
