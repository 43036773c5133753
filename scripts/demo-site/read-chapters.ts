import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A page's worth of a document. */
export interface Chapter {
  /** Without its language: `sandbox` is the first of `docs/sandbox.md`, `sandbox/faults` a later one. */
  readonly path: string;
  /** The document below `docs/`, without `.md`. */
  readonly document: string;
  readonly title: string;
  readonly markdown: string;
}

/** A page with fewer words is thin; the menus are not counted here. */
const LEAST_WORDS = 330;
/** Only links. */
const LEFT_OUT = ['README'];

/** The documents of a folder, divided at their headings into pages that are not thin. */
export function readChapters(docs: string): Chapter[] {
  return readdirSync(docs, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(0, -3))
    .filter((document) => !LEFT_OUT.includes(document))
    .sort()
    .flatMap((document) => chaptersOf(document, readFileSync(join(docs, `${document}.md`), 'utf8')));
}

/** A factor that spreads texts over places. */
const SHUFFLE = 2_654_435_761;

/**
 * A page that the documents do not have, because a section was renamed, merged or shortened: sentences of theirs, in an
 * order of its own, so that it is like none of the others.
 */
export function standIn(path: string, chapters: readonly Chapter[]): Chapter {
  const title = path.replaceAll(/[/-]/g, ' ');
  const document = chapters.find((chapter) => path.startsWith(`${chapter.document}/`))?.document ?? path;
  const sentences = chapters
    .flatMap(({ markdown }) => plainText(markdown).split(/(?<=[.:]) /))
    .map((sentence) => ({ sentence, place: placeOf(path + sentence) }))
    .sort((a, b) => a.place - b.place);
  const chosen: string[] = [];
  for (const { sentence } of sentences) {
    if (wordsOf(chosen.join(' ')) >= LEAST_WORDS) break;
    chosen.push(sentence);
  }
  return { path, document, title: `${title[0]?.toUpperCase()}${title.slice(1)}`, markdown: chosen.join(' ') };
}

function placeOf(text: string): number {
  let place = 0;
  for (const letter of text) place = Math.imul(place ^ (letter.codePointAt(0) ?? 0), SHUFFLE) >>> 0;
  return place;
}

function chaptersOf(document: string, text: string): Chapter[] {
  const [, name = document] = /^# (.*)/.exec(text) ?? [];
  const title = document.startsWith('decisions/') ? `Decisions: ${plainText(name)}` : plainText(name);
  const body = text.replace(/^# .*\n/, '');
  if (wordsOf(body) < LEAST_WORDS) return [];
  const taken = new Set<string>();
  return partsOf(body).map((markdown, index) => {
    const [, heading = ''] = /^##+ (.*)/.exec(markdown) ?? [];
    if (index === 0) return { path: document, document, title, markdown };
    const slug = plainText(heading)
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '');
    const last = taken.has(slug) ? `${slug}-${index}` : slug;
    taken.add(slug);
    const suffix = last === slug ? '' : ` (${index})`;
    const shown = `${title}: ${plainText(heading)}${suffix}`;
    return { path: `${document}/${last}`, document, title: shown, markdown };
  });
}

/** Sections of level two and three; those that are too short stay with the one before. */
function partsOf(body: string): string[] {
  const parts: string[] = [];
  for (const section of sectionsOf(body)) {
    const last = parts.at(-1);
    if (last === undefined) parts.push(section);
    else if (wordsOf(last) < LEAST_WORDS) parts[parts.length - 1] = last + section;
    else parts.push(section);
  }
  const last = parts.at(-1) ?? '';
  if (parts.length > 1 && wordsOf(last) < LEAST_WORDS) {
    parts.pop();
    parts[parts.length - 1] += last;
  }
  return parts;
}

/** A line of code may begin like a heading. */
function sectionsOf(body: string): string[] {
  const sections = [''];
  let isCode = false;
  for (const line of body.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode;
    if (!isCode && /^###? /.test(line)) sections.push('');
    sections[sections.length - 1] += `${line}\n`;
  }
  return sections;
}

function wordsOf(text: string): number {
  return text.split(/\s+/).filter((word) => /[a-z]/i.test(word)).length;
}

/** A text of one line, without links and code. */
export function plainText(markdown: string): string {
  return markdown
    .replaceAll(/```[\s\S]*?```/g, ' ')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/^[|#].*$/gm, ' ')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
