import { expect, test } from 'vitest';
import { linksSql } from '../../../../src/app/answers/explore/url/url-blocks.ts';
import { directlyIn } from '../../../../src/app/console/pages/project/draw-structure.ts';
import { TICKET_PAGES_SQL } from '../../../../src/app/console/pages/project/tickets-page.ts';
import { isOwnSql } from '../../../../src/app/console/server/own-sql.ts';

test('the console knows the SQL in the addresses of its pages, also after a form, and no other', () => {
  const own = [
    linksSql('origin'),
    linksSql('target'),
    ...Object.values(TICKET_PAGES_SQL),
    directlyIn(1),
    directlyIn(17),
  ];
  for (const sql of own) {
    expect(isOwnSql(sql), sql).toBe(true);
    expect(isOwnSql(sql.replaceAll('\n', '\r\n')), sql).toBe(true);
    for (const other of [
      `${sql} OR true`,
      `${sql};`,
      `(${sql})`,
      sql.replace('$crawl', "'c1'").replace('0', '1'),
    ])
      expect(isOwnSql(other), other).toBe(false);
  }
  for (const other of ['', 'true', '1', 'SELECT 1', "strpos(substr(urlpath, NaN), '/') = 0"])
    expect(isOwnSql(other), other).toBe(false);
});
