import { END_REASONS_WITHOUT_REPORT } from '../../api/resources/crawls.ts';
import type { Document } from '../resources/resources.ts';

/** Whom a crawl's configuration names (api-spec.md §6), as it was when the crawl began. */
export interface Notifications {
  readonly email_recipients?: readonly string[] | null;
  readonly custom_webhooks?: readonly { readonly url: string }[] | null;
  /** The webhooks' secrets by their address. */
  readonly secrets?: Readonly<Record<string, string>>;
}

const OWNER_EMAIL = 'owner@sandbox.example';

/** Without a list the workspace's owner gets mail; with an empty list nobody does (api-spec.md §6). */
function recipientsOf({ email_recipients }: Notifications): readonly string[] {
  return email_recipients ?? [OWNER_EMAIL];
}

type NotificationEvent = 'crawl_ended' | 'crawl_not_started' | 'test';

/** The body of a webhook request: not shown, so ours. `timestamp` is UTC milliseconds. */
export interface WebhookBody {
  readonly event: NotificationEvent;
  readonly project_id: string;
  readonly crawl_id: string | null;
  readonly status: string | null;
  readonly end_reason: string | null;
  readonly timestamp: number;
}

const NEVER_STARTED = END_REASONS_WITHOUT_REPORT.filter((reason) => reason !== 'user_cancelled');

export function webhookBody(crawl: Document): WebhookBody {
  const reason = String(crawl.end_reason);
  return {
    event: NEVER_STARTED.includes(reason) ? 'crawl_not_started' : 'crawl_ended',
    project_id: String(crawl.project_id),
    crawl_id: crawl.id,
    status: String(crawl.status),
    end_reason: reason,
    timestamp: Number(crawl.ended_at),
  };
}

/** The recorded mail about a crawl's end; nothing if it has no recipient. */
export function mailOf(
  crawl: Document,
  notifications: Notifications,
  projectName: string,
): Document | undefined {
  const to = recipientsOf(notifications);
  if (to.length === 0) return undefined;
  const { event } = webhookBody(crawl);
  const what = event === 'crawl_ended' ? 'ended' : 'did not start';
  return {
    id: `mail-${crawl.id}`,
    to,
    subject: `The crawl of ${projectName} ${what}: ${crawl.end_reason}`,
    text: `Crawl ${crawl.id}: ${crawl.fetched_urls} URLs fetched, to depth ${crawl.last_depth}.`,
    crawl_id: crawl.id,
    project_id: crawl.project_id,
    sent_at: crawl.ended_at,
  };
}
