import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

/** What is planted on a page. Null takes a text away. */
const Planted = z.strictObject({
  title: z.string().nullish(),
  h1: z.string().nullish(),
  description: z.string().nullish(),
  /** The path of the page whose main text it has too. */
  text_of: z.string().optional(),
  /** Only the first paragraph is there. */
  thin: z.boolean().optional(),
  noindex: z.boolean().optional(),
  canonical: z.string().nullish(),
  /** `none`: without hreflang, as its other versions; `forgotten`: without, while they name it. */
  versions: z.enum(['none', 'forgotten']).optional(),
  /** No page links to it. */
  unlinked: z.boolean().optional(),
  delay_ms: z.number().optional(),
  /** Its main text is shown by a script alone. */
  by_script: z.boolean().optional(),
  /** A script that the page ends with. */
  script: z.string().optional(),
  /** The address that it has in the place of its own. */
  address: z.string().startsWith('/').optional(),
  /** Headers that it is sent with; null takes away what all others have. */
  headers: z.record(z.string(), z.string().nullable()).optional(),
  /** HTML at the end of its head, and of its main text. */
  head: z.string().optional(),
  body: z.string().optional(),
  /** A comment at its end makes it this large, whatever the documentation has. */
  least_bytes: z.number().optional(),
  /** It is answered by HTTP/1.0. */
  http_1_0: z.boolean().optional(),
});
export type Planted = z.infer<typeof Planted>;

const Path = z.string().startsWith('/');

const Fault = z.strictObject({
  fault: z.string(),
  /** The crawl that meets it first: the site changes between them. The third one renders. */
  since: z.union([z.literal(1), z.literal(2), z.literal(3)]).default(1),
  pages: z.record(Path, Planted).default({}),
  redirects: z.record(Path, Path).default({}),
  /** Answers without a page; with 200, the body is that of a missing page. */
  statuses: z.record(Path, z.number()).default({}),
  links: z.record(Path, z.array(Path)).default({}),
  sitemap_adds: z.array(Path).default([]),
  sitemap_lacks: z.array(Path).default([]),
  robots_txt: z.array(z.string()).default([]),
  /** Rows of saved questions that tell of it, in the columns that `questions` names. */
  answers: z.record(z.string(), z.array(z.array(z.json()))),
});
export type Fault = z.infer<typeof Fault>;

const Faults = z.strictObject({
  /** The saved questions that tell of faults, and the columns of their answers that are looked at. */
  questions: z.record(z.string(), z.array(z.string())),
  faults: z.array(Fault),
});

/** The faults of the demo's site: what is planted, and what the saved questions answer. */
export function readFaults(): z.infer<typeof Faults> {
  return Faults.parse(parse(readFileSync(join(import.meta.dirname, 'faults.yaml'), 'utf8')));
}
