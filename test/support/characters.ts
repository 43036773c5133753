import fc from 'fast-check';

/*
 * The units `binary` and `grapheme` of fast-check list a million characters before the first text: seconds in each test
 * file. These are as wide and cost nothing.
 */

function between(...ranges: readonly (readonly [number, number])[]): fc.Arbitrary<string> {
  const codes = ranges.map(([min, max]) => fc.integer({ min, max }));
  return fc.oneof(...codes).map((code) => String.fromCodePoint(code));
}

const ASCII = [0x20, 0x7e] as const;

/** One character of all that a text can hold: controls and unassigned ones too, no lone surrogate. */
export const anyCharacter = between(ASCII, [0, 0xd7ff], [0xe000, 0x10ffff]);

/** What a reader takes for one character, be it several code points. */
export const grapheme = fc.oneof(
  {
    weight: 4,
    arbitrary: between(ASCII, [0xa1, 0x24f], [0x391, 0x3c9], [0x4e00, 0x9fff], [0x1f300, 0x1f5ff]),
  },
  fc.constantFrom('e\u0301', 'o\u0308\u0304', '\u1112\u1161\u11ab', '🇫🇷', '👩‍👩‍👧', '🕷️', 'क्षि'),
);
