/** What the pages do beyond links and forms; each works without it. */
document.documentElement.classList.add('with-script');
