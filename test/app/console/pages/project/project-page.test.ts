import { expect, test } from 'vitest';
import { incidentCard } from '../../../../../src/app/console/pages/project/project-page.ts';

test('an incident with a saved question links to it in Ask; another shows its hint', () => {
  const incident = { title: 'Shop', began: null, details: [], hint: 'crawlhouse query --question q7' };
  expect(incidentCard(incident).text).toContain(incident.hint);
  const list = { question: 'q7', crawl: 'c2', what: 'the pages' };
  const { text } = incidentCard({ ...incident, list });
  expect(text).toContain('<a href="/ask?question=q7&amp;param.crawl=c2&amp;run=1">See the pages</a>');
  expect(text).not.toContain('crawlhouse');
});
