import type { FastifyReply } from 'fastify';
import { Html, html } from '../../../core/text/html.ts';

const STYLE = `
:root{color-scheme:light dark;--ground:#f6f5f2;--card:#fff;--ink:#1d2126;--soft:#5d6670;--line:#dcdad4;--accent:#1f6f5c;--on-accent:#fff;--code:#efede7;--warn:#a33a2a}
@media (prefers-color-scheme:dark){:root{--ground:#15181b;--card:#1d2125;--ink:#e6e8ea;--soft:#9aa4ad;--line:#31373d;--accent:#6cc5ab;--on-accent:#10201b;--code:#262b30;--warn:#f0907f}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .5rem}
a{color:var(--accent)}
code,pre,.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:.875em}
button,input{font:inherit;color:inherit}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
`;

export interface PageOptions {
  readonly title: string;
  readonly style?: string;
  readonly script?: string;
  readonly body: Html;
}

/** Returns a complete page without external resources; light or dark by the reader's preference. */
export function page({ title, style = '', script, body }: PageOptions): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Html(STYLE + style)}</style>
</head>
<body>
${body}
${script === undefined ? undefined : new Html(`<script>${script}</script>`)}
</body>
</html>
`.text;
}

/** Sends a page that may not be framed or cached, and that loads nothing from other origins. */
export function sendPage(reply: FastifyReply, status: number, text: string): FastifyReply {
  return reply
    .code(status)
    .headers({
      'cache-control': 'no-store',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    .type('text/html; charset=utf-8')
    .send(text);
}
