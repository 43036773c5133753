import { expect, test } from 'vitest';
import type { Alert } from '../../../../src/app/operations/alert/alert.ts';
import type { OpenIncident } from '../../../../src/app/operations/alert/incident.ts';
import type { AlertStore } from '../../../../src/app/operations/alert/sql-alert-store.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

function incident(key: string): OpenIncident {
  return { key, event: 'stale', title: key, project_id: null, since: '2026', targets: ['webhook'] };
}

export function waitingAlert(title: string): Alert {
  return {
    event: 'failure',
    incident: 'run/x',
    title,
    details: [],
    hint: null,
    project_id: null,
    scope: 'run',
    run_id: null,
    since: '',
    at: '2026-11-20T06:00:00.000Z',
  };
}

/** What every store of alerts does. Each folder is a project of its own. */
export function alertStoreContract(name: string, open: (folder: string) => Promise<AlertStore>): void {
  test(`${name}: a change is atomic, and the next process sees it`, async () => {
    const folder = await temporaryFolder();
    {
      await using store = await open(folder);
      await store.change((found) => {
        expect(found).toEqual([]);
        const alerts = ['first', 'second'].map((title) => ({
          target: 'webhook',
          alert: waitingAlert(title),
        }));
        return { opened: [incident('b'), incident('a')], closed: [], alerts };
      });
      const failed = store.change(() => {
        throw new Error('no plan');
      });
      await expect(failed).rejects.toThrow('no plan');
    }
    await using store = await open(folder);
    expect(await store.incidents()).toEqual([incident('a'), incident('b')]);
    const [first, second] = await store.undelivered();
    expect([first?.alert, second?.alert]).toEqual([waitingAlert('first'), waitingAlert('second')]);
    await store.delivered(first?.id ?? 0);
    await store.change(() => ({ opened: [], closed: ['a'], alerts: [] }));
    expect(await store.incidents()).toEqual([incident('b')]);
    expect((await store.undelivered()).map(({ alert }) => alert.title)).toEqual(['second']);
  });

  test(`${name}: only one process delivers at a time`, async () => {
    const folder = await temporaryFolder();
    await using one = await open(folder);
    await using other = await open(folder);
    const order: string[] = [];
    await one.deliverAlone(async () => {
      order.push('one');
      await other.deliverAlone(async () => void order.push('other'));
    });
    await other.deliverAlone(async () => void order.push('later'));
    expect(order).toEqual(['one', 'later']);
  });
}
