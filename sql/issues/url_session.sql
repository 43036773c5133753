/*
title: Session ID in the URL
severity: medium
category: urls
definition: The page returns 200, and its URL contains sessionid= or sessid=, a session parameter (sid, session_id, osCsid from osCommerce, CFID or CFTOKEN from ColdFusion), or an ASP.NET session path, /(S(…))/ with 24 characters. Letter case is ignored.
source: https://developers.google.com/search/docs/crawling-indexing/url-structure
why_it_matters: Each visit creates new URLs for the same pages.
fix: Store sessions in cookies
owner: template
evidence: [status_code]
cases:
  has:
    - {status_code: 200, url: 'https://example.org/a;JSESSIONID=1'}
    - {status_code: 200, url: 'https://example.org/?PHPSESSID=1'}
    - {status_code: 200, url: 'https://example.org/?sid=1'}
    - {status_code: 200, url: 'https://example.org/?a=1&SID=1'}
    - {status_code: 200, url: 'https://example.org/?session_id=1'}
    - {status_code: 200, url: 'https://example.org/index.php?cPath=1&osCsid=4f2a'}
    - {status_code: 200, url: 'https://example.org/a.cfm?CFID=1'}
    - {status_code: 200, url: 'https://example.org/a.cfm;cftoken=2'}
    - {status_code: 200, url: 'https://example.org/(S(lit3py55t21z5v55vlm25s55))/order.aspx'}
    - {status_code: 200, url: 'https://example.org/(X(1)S(lit3py55t21z5v55vlm25s55))/order.aspx'}
  has_not:
    - {status_code: 200, url: 'https://example.org/?aside=1&resid=2'}
    - {status_code: 200, url: 'https://example.org/session'}
    - {status_code: 404, url: 'https://example.org/?PHPSESSID=1'}
    - {status_code: 200, url: 'https://example.org/?training_session_id=1&mycfid=2'}
    - {status_code: 200, url: 'https://example.org/osCsid'}
    - {status_code: 200, url: 'https://example.org/(S(mall))/order.aspx'}
*/
SELECT crawl_id, project_id, url, 'contains a session' AS why
FROM mart.pages
WHERE status_code = 200
  -- PHP and Java: https://www.php.net/manual/en/session.idpassing.php, Jakarta Servlet §7.1.3 (jsessionid). ASP.NET:
  -- https://learn.microsoft.com/previous-versions/aspnet/aa479314(v=msdn.10). ColdFusion:
  -- https://helpx.adobe.com/coldfusion/cfml-reference/coldfusion-functions/functions-t-z/urlsessionformat.html
  AND regexp_matches(
    lower(url),
    'sessionid=|sessid=|[?&;](sid|session_id|oscsid|cfid|cftoken)=|/[(]([axf][(][^()/]*[)])*s[(][a-z0-5]{24}[)]'
  )
