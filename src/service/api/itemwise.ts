import { z } from 'zod';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import type { Endpoint } from './endpoint.ts';
import type { PageMeta } from './pagination.ts';
import type { BrokenItem, ListPage } from './read-list.ts';

/**
 * The schema of a list's page that checks each item against its contract separately. An item that does not fit is left
 * out, and the others stay.
 *
 * @param offset of the page, for items without an id
 */
export function itemwise<T>(
  { path, response, result = '' }: Endpoint,
  offset: number,
): z.ZodType<ListPage<T>> {
  const items = response instanceof z.ZodObject ? response.shape[result] : undefined;
  if (!(response instanceof z.ZodObject && items instanceof z.ZodArray))
    throw new Error(`${path} is not a list`);
  const envelope = response.extend({ [result]: z.array(z.unknown()) });
  return z.unknown().transform((answer, context) => {
    const read = envelope.safeParse(answer);
    if (!read.success) {
      for (const { path: at, message } of read.error.issues)
        context.issues.push({ code: 'custom', path: [...at], message, input: answer });
      return z.NEVER;
    }
    const { meta } = read.data as unknown as { readonly meta: PageMeta };
    const broken: BrokenItem[] = [];
    const good = (read.data[result] as unknown[]).flatMap((item, index): T[] => {
      const checked = (items.element as z.ZodType<T>).safeParse(item);
      if (checked.success) return [checked.data];
      broken.push(brokenItem(result, item, offset + index, checked.error.issues[0]));
      return [];
    });
    return { total: meta.total, items: good, broken };
  });
}

function brokenItem(
  list: string,
  item: unknown,
  place: number,
  issue: z.core.$ZodIssue | undefined,
): BrokenItem {
  const { id, project_id } = (item ?? {}) as { id?: unknown; project_id?: unknown };
  const name = typeof id === 'string' && id !== '' ? id : null;
  const which = name ?? `item ${place + 1}`;
  const where = issue && issue.path.length > 0 ? `${issue.path.map(String).join('.')}: ` : '';
  return {
    id: which,
    projectId: typeof project_id === 'string' ? project_id : null,
    error: new CrawlhouseError(
      'contract_broken',
      `${list}: ${which} is outside its contract: ${where}${issue?.message ?? 'invalid'}`,
      { hint: 'the record is left out, everything else is loaded; report the record to the service' },
    ),
  };
}
