import { expect, test } from 'vitest';
import { z } from 'zod';
import { rowsOf } from '../../../../src/app/answers/explore/chosen-crawls.ts';
import { CrawlhouseError } from '../../../../src/core/errors/errors.ts';
import type { CatalogReader } from '../../../../src/etl/state/catalog/catalog.ts';
import { temporaryConnection, temporaryFolder } from '../../../support/temporary.ts';

test.each([
  ['a table', 'SELECT url FROM mart.issues'],
  ['a column', 'SELECT weight FROM mart.pages'],
  ['a column by its table', 'SELECT pages.weight FROM mart.pages AS pages'],
])(
  'if the warehouse lacks %s of a shipped model, the error shows the command that builds it',
  async (_, sql) => {
    const connection = await temporaryConnection(await temporaryFolder());
    await connection.run('CREATE SCHEMA mart; CREATE TABLE mart.pages (url VARCHAR)');
    const rows = (asked: string) =>
      connection.rows(asked).catch((error: Error) => {
        throw new CrawlhouseError('bad_query', error.message);
      });
    const asked = rowsOf(
      { rows } as CatalogReader,
      z.unknown(),
      sql,
      new Map(),
      new AbortController().signal,
    );
    await expect(asked).rejects.toMatchObject({
      code: 'bad_query',
      message: 'the warehouse lacks shipped models, or some of their columns',
      hint: expect.stringContaining('crawlhouse transform builds them'),
    });
    await expect(
      rowsOf(
        { rows } as CatalogReader,
        z.unknown(),
        'SELECT nosuch(1)',
        new Map(),
        new AbortController().signal,
      ),
    ).rejects.toThrow('nosuch');
  },
);
