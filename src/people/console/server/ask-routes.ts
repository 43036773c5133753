import type { FastifyInstance } from 'fastify';
import { toCrawlhouseError } from '../../../core/errors/errors.ts';
import { readCatalog } from '../../../state/catalogue/catalog.ts';
import type { Readers } from '../desk/desk.ts';
import { askAddress, askFields } from '../layout/ask-address.ts';
import { DownloadFiles } from './download-files.ts';
import { formOf } from './form-of.ts';
import { sessionOf } from './guard.ts';
import { isOwn } from './is-own.ts';
import { refuse } from './refuse.ts';
import { sendDownload } from './send-download.ts';

/** Longer SQL is kept here instead of in the address. */
const LONGEST_ADDRESS = 6000;

/** What belongs to `/ask` and is no page. */
export function askRoutes(app: FastifyInstance, desk: Readers, signal: AbortSignal): void {
  const files = new DownloadFiles(desk.settings.state_dir);
  app.post('/ask', (request, reply) => {
    const form = formOf(request);
    const asked = new URLSearchParams(askFields(form));
    const address = askAddress(asked, { run: 1 });
    if (address.length <= LONGEST_ADDRESS) return reply.redirect(address, 303);
    const kept = desk.texts.keep(sessionOf(request).subject, form.get('sql') ?? '');
    return reply.redirect(askAddress(asked, { run: 1, sql: null, kept }), 303);
  });
  app.get('/ask/catalogue.json', async (request, reply) => {
    const read = () => desk.warehouse.use((warehouse) => readCatalog(warehouse, signal));
    try {
      return await reply.send({ tables: await desk.once('ask: catalogue', read) });
    } catch (thrown) {
      const { code, message, hint } = toCrawlhouseError(thrown);
      const status = code === 'nothing_published' ? 404 : 500;
      const title = 'The catalogue could not be read';
      return refuse(request, reply, { status, code, title, message, hint });
    }
  });
  app.get('/ask/download', async (request, reply) => {
    const query = new URL(request.url, 'http://console').searchParams;
    // A page from elsewhere starts nothing.
    if (!isOwn(request.headers)) return reply.redirect(askAddress(query, { run: 1 }));
    return await sendDownload({ desk, files, query, request }, reply, signal);
  });
}
