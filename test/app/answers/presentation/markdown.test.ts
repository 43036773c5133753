import { expect, test } from 'vitest';
import {
  markdownProse,
  markdownTable,
  markdownText,
} from '../../../../src/app/answers/presentation/markdown.ts';

test.each([
  ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
  ['[l](javascript:alert(1))', '\\[l\\]&#40;javascript:alert(1))'],
  ['![i](data:x)', '!\\[i\\]&#40;data:x)'],
  ['a|b\\|c', 'a\\|b\\\\\\|c'],
  ['`code`', '\\`code\\`'],
  ['**b** _i_ ~~s~~', '\\*\\*b\\*\\* \\_i\\_ \\~\\~s\\~\\~'],
  ['status_code & &lt; &#60;', 'status_code & &amp;lt; &amp;#60;'],
  ['one\r\n\r\n# two\ttabs', 'one # two tabs'],
  ['a\u001b[31m\u202eb', 'a\\\\u001b\\[31m\\\\u202eb'],
])('the untrusted text %j is escaped as %j', (text, written) => {
  expect(markdownText(text)).toBe(written);
});

test('text of the project keeps code, and loses HTML and links', () => {
  expect(markdownProse('`<a>` or <b> in [l](javascript:x)')).toBe('`<a>` or &lt;b> in [l]&#40;javascript:x)');
  expect(markdownTable([['a'], ['b']])).toEqual(['| a |', '| - |', '| b |']);
});
