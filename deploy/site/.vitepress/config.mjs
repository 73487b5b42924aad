import { defineConfig } from 'vitepress'
import { links } from './links.mjs'
import { decisions, groups, pageOf } from './pages.mjs'

const version = process.env.WEIR_SITE_VERSION
const base = process.env.WEIR_SITE_BASE

export default defineConfig({
  title: `Weir ${version}`,
  description: 'Limits the use of an API, with one limit on all servers and a retry time for each caller',
  base: `${base}${version}/`,
  srcDir: 'target/source',
  outDir: `target/site/${version}`,
  cacheDir: 'target/cache',
  rewrites: pageOf,
  lastUpdated: false,
  head: [['meta', { name: 'theme-color', content: '#2f6f8f' }]],
  markdown: links,
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Documents', link: '/documents' },
      { text: version, link: base, target: '_self' }
    ],
    sidebar: [...groups(), { text: 'Decisions', collapsed: true, items: decisions() }]
  }
})
