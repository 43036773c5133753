import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { PAGES } from '../../src/app/console/pages/all-pages.ts';

/** What pages of this process have read and their schemas refuse, or would leave out a part of. */
const misfits: string[] = [];

for (const page of PAGES) {
  const { path, schema, read } = page;
  const checked: typeof read = async (...given) => {
    const document = await read(...given);
    const { success, data, error } = schema.safeParse(document);
    if (!success) misfits.push(`${path}: ${z.prettifyError(error)}`);
    else if (!isDeepStrictEqual(data, document)) misfits.push(`${path}: more is read than its schema has`);
    return document;
  };
  Object.assign(page, { read: checked });
}

/** @throws Error for documents that did not fit the schema of their page since the last call */
export function expectDocumentsFit(): void {
  const found = [...new Set(misfits.splice(0))];
  if (found.length > 0) throw new Error(found.join('\n'));
}
