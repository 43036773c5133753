export const API_PAGE_STYLE = `
.shell{display:grid;grid-template-columns:15rem minmax(0,1fr);max-width:76rem;margin:0 auto;gap:2.5rem;padding:0 1.5rem}
nav{position:sticky;top:0;align-self:start;height:100vh;overflow:auto;padding:2rem 0;font-size:.9rem}
nav a{display:flex;justify-content:space-between;gap:.5rem;padding:.3rem .6rem;border-radius:.4rem;color:var(--ink);text-decoration:none}
nav a:hover{background:var(--code)}
nav .count{color:var(--soft)}
main{padding:2rem 0 6rem}
.lead{color:var(--soft);max-width:44rem;margin:.25rem 0 1.25rem}
.facts{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem;margin:0 0 1.5rem;font-size:.9rem}
.facts dt{color:var(--soft)}
.facts dd{margin:0;overflow-wrap:anywhere}
input[type=search]{width:100%;padding:.6rem .8rem;border:1px solid var(--line);border-radius:.5rem;background:var(--card)}
h2{font-size:1.15rem;margin:2.25rem 0 .1rem;scroll-margin-top:1rem}
h3{font-size:.8rem;letter-spacing:.02em;color:var(--soft);font-weight:600;margin:1.1rem 0 .35rem}
h2+p{margin:0 0 .75rem;color:var(--soft);font-size:.9rem}
details{background:var(--card);border:1px solid var(--line);border-radius:.5rem;margin:.4rem 0;scroll-margin-top:1rem}
summary{display:grid;grid-template-columns:4rem minmax(0,1fr) auto;gap:.15rem .75rem;align-items:baseline;padding:.55rem .8rem;cursor:pointer;list-style:none}
summary::-webkit-details-marker{display:none}
summary .path{overflow-wrap:anywhere;font-size:.85rem}
summary .about{grid-column:2 / span 2;color:var(--soft);font-size:.85rem}
summary .scope{font-size:.75rem;color:var(--soft)}
.method{font:600 .75rem ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.get{color:#2a6db0}.post{color:#2b7a3d}.put{color:#94620a}.delete{color:#b23b2e}
@media (prefers-color-scheme:dark){.get{color:#83b8ee}.post{color:#86cf95}.put{color:#e2b15c}.delete{color:#f0907f}}
.inside{border-top:1px solid var(--line);padding:.25rem 1rem 1rem;font-size:.9rem}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%}
td{border-top:1px solid var(--line);padding:.35rem .75rem .35rem 0;vertical-align:top}
tr:first-child td{border-top:0}
td:first-child{white-space:nowrap;width:15rem}
td.status{width:3.5rem}
td.status+td{width:20rem}
.must{color:var(--warn);font-size:.75rem}
pre{background:var(--code);border-radius:.4rem;padding:.7rem .8rem;margin:.25rem 0;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere}
.none{display:none;color:var(--soft)}
@media (max-width:52rem){.shell{grid-template-columns:minmax(0,1fr);gap:0}nav{position:static;height:auto;padding:1rem 0 0;display:flex;flex-wrap:wrap}main{padding-top:1rem}}
`;

/** Hides what the search doesn't find; sections without a match go with it. */
export const API_PAGE_SCRIPT = `
const search = document.querySelector('input[type=search]');
const show = () => {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let any = false;
  for (const section of document.querySelectorAll('section')) {
    let found = false;
    for (const item of section.querySelectorAll('details')) {
      const text = item.dataset.text;
      item.hidden = !words.every((word) => text.includes(word));
      found ||= !item.hidden;
    }
    section.hidden = !found;
    any ||= found;
  }
  document.querySelector('.none').style.display = any ? 'none' : 'block';
};
search.addEventListener('input', show);
const open = () => {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  if (target && target.tagName === 'DETAILS') { search.value = ''; show(); target.open = true; target.scrollIntoView(); }
};
addEventListener('hashchange', open);
open();
`;
