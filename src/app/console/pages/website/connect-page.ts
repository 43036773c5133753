import { z } from 'zod';
import { type Html, html } from '../../../../core/text/html.ts';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import { csrfField } from '../../layout/shell.ts';
import { page } from '../../page-parts/console-page.ts';
import { canConnect, OfferedWorkspace, readOffered } from '../../page-parts/website/connecting.ts';
import { connectForm } from '../../page-parts/website/website-forms.ts';

const Connect = z.strictObject({
  /** The address of the service that the project folder loads from. */
  account: z.string().nullable(),
  /** Whether an account can be connected here. */
  can_connect: z.boolean(),
  /** The account that the person typed; null: none, or more than ten minutes ago. */
  offered: z.strictObject({ base_url: z.string(), workspaces: z.array(OfferedWorkspace) }).nullable(),
});
type Connect = Typed<typeof Connect>;

export const CONNECT = page<Connect>({
  path: '/connect',
  summary: 'The workspaces and projects of an account, before the project folder loads from it.',
  schema: Connect,
  async read(request, { settings }, signal) {
    const can_connect = canConnect(request, settings);
    const account = can_connect ? request.accounts.find(request.session.subject) : null;
    return {
      account: settings.base_url ?? null,
      can_connect,
      offered: account && { base_url: account.baseUrl, workspaces: await readOffered(account, signal) },
    };
  },
  draw: (connect, { session }) => ({
    title: 'Connect an account',
    body: html`<h1>Connect an account</h1>\n${drawBody(connect, session.csrf)}`,
  }),
});

function drawBody({ account, can_connect, offered }: Connect, csrf: string): Html {
  if (account !== null) return html`<p class="notice">This project folder loads from ${account}.</p>`;
  if (!can_connect)
    return html`<p class="notice">This console cannot connect an account. Set base_url in crawlhouse.yaml and CRAWLHOUSE_ACCESS_TOKEN in .env of a folder without crawls.</p>`;
  if (offered === null) return connectForm(csrf);
  const { base_url, workspaces } = offered;
  return html`<p>The token can read these projects of ${base_url}. Choose the projects to load.</p>
<form method="post" action="/connect/projects">${csrfField(csrf)}
<p><input type="checkbox" id="all" name="all"> <label for="all">all projects, also those that are added later</label></p>
${workspaces.map(drawWorkspace)}
<p><button type="submit" class="main">Save, and load the projects</button></p></form>`;
}

function drawWorkspace({ id, name, projects, problem }: Typed<typeof OfferedWorkspace>): Html {
  return html`<fieldset><legend>${name} <code>${id}</code></legend>
${problem === null ? null : html`<p class="notice">${problem}</p>`}
${projects.length === 0 && problem === null ? html`<p class="empty">No project.</p>` : null}
${projects.map(
  (project) =>
    html`<div><input type="checkbox" id="project-${project.id}" name="project" value="${project.id}"> <label for="project-${project.id}">${project.name}${project.start_url === null ? null : html` (${project.start_url})`}</label></div>\n`,
)}</fieldset>
`;
}
