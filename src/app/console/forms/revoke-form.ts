import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { ConsoleForm } from './console-form.ts';

/** Ends a shared link immediately. */
export const REVOKE_FORM: ConsoleForm = {
  path: '/links/:link_id/revoke',
  failed: 'The link was not revoked',
  audit: ({ path }) => `revoke link ${path.link_id}`,
  async act({ path }, { shared }) {
    if (!shared.revoke(Number(path.link_id)))
      throw new CrawlhouseError('usage', `there is no link ${path.link_id}`, {
        hint: 'the /links page lists the links',
      });
    return '/links';
  },
};
