import { z } from 'zod';
import { counted } from '../../core/amounts.ts';
import { html } from '../../core/html.ts';
import { drawLiveRun, LiveState, liveState } from '../layout/live-run.ts';
import { page } from './page.ts';

const Overview = z.strictObject({
  live: LiveState.nullable(),
  incidents: z.array(
    z.object({ title: z.string(), began: z.string().nullable(), hint: z.string().nullable() }),
  ),
});

export const OVERVIEW = page<z.infer<typeof Overview>>({
  path: '/',
  summary: 'What is wrong now, how fresh each project is, the last runs.',
  schema: Overview,
  async read(_request, desk) {
    const { incidents, live } = await desk.status();
    return {
      live: live && liveState(live),
      incidents: incidents.map(({ title, began, hint }) => ({ title, began, hint })),
    };
  },
  draw({ live, incidents }) {
    const wrong = incidents.length === 0 ? 'Nothing is wrong.' : counted(incidents.length, 'incident');
    return {
      title: 'Overview',
      body: html`<h1>${wrong}</h1>
<div data-live>${live && drawLiveRun(live)}</div>`,
    };
  },
});
