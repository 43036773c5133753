import { expect, test } from 'vitest';
import { visible, visibleLine } from '../../../src/core/text/visible.ts';

test('control characters and direction overrides are shown as escapes', () => {
  for (let code = 0; code <= 0xffff; code++) {
    const character = String.fromCharCode(code);
    const obeyed =
      (code < 0x20 && character !== '\n' && character !== '\t') ||
      (code >= 0x7f && code <= 0x9f) ||
      (code >= 0x202a && code <= 0x202e) ||
      (code >= 0x2066 && code <= 0x2069) ||
      code === 0x2028 ||
      code === 0x2029;
    const escaped = `\\u${code.toString(16).padStart(4, '0')}`;
    expect(visible(character)).toBe(obeyed ? escaped : character);
  }
});

test('escape sequences have no effect: titles, links, colors, carriage returns', () => {
  expect(visible('\u001b]0;owned\u0007 \u001b[31mred \u009b2J a\rb')).toBe(
    '\\u001b]0;owned\\u0007 \\u001b[31mred \\u009b2J a\\u000db',
  );
});

test('text for one line stays on one line', () => {
  expect(visibleLine('a\nError: b\tc')).toBe('a\\u000aError: b\\u0009c');
});

test('a JSON document is unchanged after escaping', () => {
  const document = { name: '\u001b[2J\u009b\u202e\u007f\u2028 "quoted" \n\t é 🕷' };
  expect(JSON.parse(visible(JSON.stringify(document)))).toEqual(document);
});
