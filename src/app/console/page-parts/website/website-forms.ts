import { type Html, html } from '../../../../core/text/html.ts';
import { option } from '../../layout/filter-form.ts';
import { csrfField } from '../../layout/shell.ts';

/** Returns the form that checks a website before it is crawled. */
export function checkForm(url: string): Html {
  return html`<form class="choose" method="get" action="/start">
<label>address of the website <input name="url" value="${url}" inputmode="url" autocomplete="url" required placeholder="https://www.example.com/"></label>
<button type="submit"${url === '' ? html` class="main"` : null}>Check</button>
</form>
`;
}

const SPEEDS: readonly (readonly [value: string, text: string])[] = [
  ['', 'default: 5, on this machine 1,000'],
  ...['1', '2', '5', '10', '25', '50'].map((speed) => [speed, speed] as const),
];

/** Returns the form that starts the crawl of a website, with the fields that were typed. */
export function crawlForm(url: string, csrf: string, typed: URLSearchParams = new URLSearchParams()): Html {
  const value = (name: string): string => typed.get(name) ?? '';
  return html`<form method="post" action="/start">${csrfField(csrf)}<input type="hidden" name="url" value="${url}">
<div class="choose">
<label>maximum URLs <input name="max_urls" value="${value('max_urls')}" inputmode="numeric" autocomplete="off" placeholder="1000000"></label>
<label>URLs per second <select name="speed">${SPEEDS.map(([speed, text]) => option(speed, value('speed'), text))}</select></label>
</div>
<p><input type="checkbox" id="own" name="own"${value('own') === 'on' ? html` checked` : null}> <label for="own">This site is mine: allow more than 5 URLs per second</label></p>
<p><button type="submit" class="main">Crawl</button></p>
</form>
`;
}

/** Returns the form that connects an account. The token is never filled in. */
export function connectForm(csrf: string, baseUrl = ''): Html {
  return html`<form class="choose" method="post" action="/connect">${csrfField(csrf)}
<label>address of the service <input name="base_url" value="${baseUrl}" inputmode="url" autocomplete="off" required placeholder="https://service.example"></label>
<label>access token <input type="password" name="token" autocomplete="off" required></label>
<button type="submit">Connect</button>
</form>
`;
}
