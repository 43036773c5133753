"""Crawls a site with Scrapy: `site-spider.py START_URL OUTPUT [USER_AGENT]`. Writes one JSON line a page.

It follows the rules of crawlhouse: robots.txt, the host of the start URL, no nofollow, each hop of a redirect a page of its
own. It prints what it took as one JSON document.
"""

import json
import re
import resource
import sys
import time
from urllib.parse import urldefrag, urljoin, urlsplit

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse
from scrapy.utils.response import get_base_url
from w3lib.url import safe_url_string

START, OUTPUT = sys.argv[1:3]
took = {"pages": 0, "links": 0}
HTML_SPACE = " \t\n\r\x0c"
UNSAFE = re.compile(r"[^!-~]|[\"<>`{|}]")
NOT_FOLLOWED = {"nofollow", "ugc", "sponsored"}


def text_of(response, path):
    found = response.xpath(path).get()
    return None if found is None else " ".join(found.split())


class Site(scrapy.Spider):
    name = "site"
    host = urlsplit(START).netloc
    known = {START}

    async def start(self):
        yield scrapy.Request(START, meta={"handle_httpstatus_all": True})

    def parse(self, response):
        took["pages"] += 1
        page = {"url": response.url, "status": response.status, "title": None, "h1": None, "canonical": None, "links": []}
        follow = []
        location = response.headers.get("Location")
        if 300 <= response.status < 400 and location is not None:
            follow.append(response.urljoin(location.decode()))
        elif isinstance(response, HtmlResponse):
            page["title"] = text_of(response, "//title/text()")
            page["h1"] = text_of(response, "string(//h1)")
            page["canonical"] = response.xpath("//link[@rel='canonical']/@href").get()
            robots = (response.xpath("//meta[@name='robots']/@content").get() or "").lower()
            base = get_base_url(response)
            # lxml's own elements: Scrapy's LinkExtractor takes twice the time.
            for element in response.selector.root.iter("a", "area"):
                href = element.get("href")
                if href is None:
                    continue
                target = urljoin(base, href.strip(HTML_SPACE))
                if UNSAFE.search(target):
                    target = safe_url_string(target)
                rel = element.get("rel", "").lower().split()
                anchor = " ".join("".join(element.itertext()).split())
                page["links"].append({"target": target, "anchor": anchor, "rel": rel})
                if "nofollow" not in robots and not NOT_FOLLOWED.intersection(rel):
                    follow.append(target)
            took["links"] += len(page["links"])
        yield page
        for url in dict.fromkeys(urldefrag(one).url for one in follow):
            # Scrapy drops repeated requests itself, but slowly: it hashes each one.
            if url not in self.known and urlsplit(url).netloc == self.host:
                self.known.add(url)
                yield scrapy.Request(url, meta={"handle_httpstatus_all": True})


process = CrawlerProcess(
    {
        "USER_AGENT": sys.argv[3] if len(sys.argv) > 3 else "scrapy",
        "ROBOTSTXT_OBEY": True,
        "REDIRECT_ENABLED": False,
        "METAREFRESH_ENABLED": False,
        "COOKIES_ENABLED": False,
        "DOWNLOAD_DELAY": 0,
        "CONCURRENT_REQUESTS": 16,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
        "DEPTH_PRIORITY": 1,
        "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
        "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
        "TELNETCONSOLE_ENABLED": False,
        "LOG_LEVEL": "ERROR",
        "FEEDS": {OUTPUT: {"format": "jsonlines", "overwrite": True}},
    }
)
process.crawl(Site)
begun = time.perf_counter()
process.start()
usage = resource.getrusage(resource.RUSAGE_SELF)
took["seconds"] = time.perf_counter() - begun
took["cpu"] = usage.ru_utime + usage.ru_stime
took["rss"] = round(usage.ru_maxrss * 1024 / 1e6)
print(json.dumps(took))
