import { expect, test } from 'vitest';
import { Html, html } from '../../../src/core/text/html.ts';

test('inserted text is escaped, inserted HTML is not', () => {
  const piece = html`<b>${`<&>"'`}</b>`;
  expect(piece.text).toBe('<b>&lt;&amp;&gt;&quot;&#39;</b>');
  expect(html`${[piece, piece]}${undefined}${1}`.text).toBe(`${piece.text}${piece.text}1`);
  expect(html`${new Html('<i>')}`.text).toBe('<i>');
});

test('inserted text is escaped once', () => {
  expect(html`<p title="${'"'}">${"<b> & it's"} ${html`<i>${'<'}</i>`} ${[1, null, 'x']}</p>`.text).toBe(
    '<p title="&quot;">&lt;b&gt; &amp; it&#39;s <i>&lt;</i> 1x</p>',
  );
});

test('control characters become visible in HTML, and line ends stay', () => {
  expect(html`<i title="${'\u009b'}">${'a\u001b[31m\u202e\u0000'}</i>${'b\r\nc\td'}`.text).toBe(
    '<i title="\\u009b">a\\u001b[31m\\u202e\\u0000</i>b\nc\td',
  );
});
