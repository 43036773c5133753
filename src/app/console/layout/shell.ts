import { type Html, html } from '../../../core/text/html.ts';

interface Room {
  readonly path: string;
  readonly name: string;
  /** Other paths that belong to the entry: its page links to them. */
  readonly more?: readonly string[];
}

const ROOMS: readonly Room[] = [
  { path: '/', name: 'Overview' },
  { path: '/projects', name: 'Projects' },
  { path: '/runs', name: 'Runs' },
  { path: '/ask', name: 'Ask' },
  { path: '/operations', name: 'Operations', more: ['/schedules'] },
];
const DO = { path: '/do', name: 'Do', more: ['/uploads', '/audit', '/links'] };

export interface Shell {
  /** The path of the page, without `.json`. */
  readonly path: string;
  /** Empty without a sign-in. */
  readonly subject: string;
  readonly csrf: string;
  readonly canAct: boolean;
}

/** Returns the beginning of a page, up to its body; the title is known after the page is read. */
export function shellStart({ path, subject, csrf, canAct }: Shell, title: string): string {
  const rooms = [...ROOMS, ...(canAct ? [DO] : [])];
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · crawlhouse</title>
<link rel="stylesheet" href="/assets/console.css">
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<script type="module" src="/assets/console.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<a class="brand" href="/">crawlhouse</a>
${
  subject === ''
    ? null
    : html`<nav aria-label="Pages"><ul>${rooms.map(
        (room) =>
          html`<li><a href="${room.path}"${isIn(path, room) ? html` aria-current="page"` : null}>${room.name}</a></li>`,
      )}</ul></nav>
<form class="find" method="get" action="/search" role="search"><input type="search" name="q" aria-label="Search" aria-keyshortcuts="/" placeholder="Search" data-search></form>
<form class="who" method="post" action="/sign-out">${csrfField(csrf)}<span class="subject">${subject}</span> <button type="submit">Sign out</button></form>`
}
</header>
<main id="main" tabindex="-1">
`.text;
}

/** Returns the token that every form with changes sends back. */
export function csrfField(csrf: string): Html {
  return html`<input type="hidden" name="csrf" value="${csrf}">`;
}

export function shellEnd(): string {
  return '</main>\n</body>\n</html>\n';
}

function isIn(path: string, { path: own, more = [] }: Room): boolean {
  return [own, ...more].some((one) => path === one || (one !== '/' && path.startsWith(`${one}/`)));
}

/** Returns a notice instead of a page's body: what happened, and what to do. */
export function notice(title: string, text: string, hint: string | null = null): Html {
  return html`<h1>${title}</h1>
<p class="notice">${text}</p>
${hint === null ? null : html`<p>To do: ${hint}</p>`}
<p><a href="/">To the overview</a></p>`;
}
