import { request } from 'undici';
import type { OAuthApplication } from '../../../../src/client/http/oauth.ts';
import type { Service } from '../../support.ts';

export const BACK = 'http://127.0.0.1:9/callback?from=here';

export function applicationOf(it: Service): OAuthApplication {
  const { client_id, client_secret } = it.sandbox.ready.oauth;
  return { baseUrl: it.sandbox.baseUrl, clientId: client_id, clientSecret: client_secret };
}

/** The address of the authorization page for a query; the sandbox's own application where none is named. */
export function pageUrl(it: Service, query: Readonly<Record<string, string>> = {}): string {
  const { client_id } = it.sandbox.ready.oauth;
  const search = new URLSearchParams({ client_id, redirect_uri: BACK, response_type: 'code', ...query });
  return `${it.sandbox.baseUrl}/oauth/authorize?${search}`;
}

/** A request that follows no redirect. */
export async function browse(url: string, form?: readonly (readonly [string, string])[]) {
  const answer = await request(url, {
    method: form === undefined ? 'GET' : 'POST',
    ...(form === undefined
      ? {}
      : {
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams(form.map(([name, value]): [string, string] => [name, value])).toString(),
        }),
  });
  const location = answer.headers.location;
  return {
    status: answer.statusCode,
    headers: answer.headers,
    text: await answer.body.text(),
    back: typeof location === 'string' ? new URL(location) : undefined,
  };
}

/** The key that the page's form bears. */
export function keyOf(page: string): string {
  const key = /name="request" value="([^"]+)"/.exec(page)?.[1];
  if (key === undefined) throw new Error('the page has no form');
  return key;
}

/** Says yes at the page, to all that is asked or to these scopes; the address one is sent back to. */
export async function consent(
  it: Service,
  query: Readonly<Record<string, string>> = {},
  scopes?: readonly string[],
): Promise<URL> {
  const url = pageUrl(it, query);
  const { text } = await browse(url);
  const offered = [...text.matchAll(/name="scope" value="([^"]+)"/g)].map((match) => String(match[1]));
  const { back } = await browse(`${it.sandbox.baseUrl}/oauth/authorize`, [
    ['request', keyOf(text)],
    ['decision', 'allow'],
    ...(scopes ?? offered).map((scope) => ['scope', scope] as const),
  ]);
  if (back === undefined) throw new Error('nobody was sent back');
  return back;
}

export async function codeFor(it: Service, query: Readonly<Record<string, string>> = {}): Promise<string> {
  return String((await consent(it, query)).searchParams.get('code'));
}
