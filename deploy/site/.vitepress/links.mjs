// Links as GitHub reads them: anchors are named by its rules and have to exist, and a link to a file that is no
// document leads to a copy of the file. A link that leads nowhere ends the build.
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { pageOf } from './pages.mjs'

const ROOT = resolve('../..')
const SOURCE = resolve('target/source')
const FILES = join('target/site', process.env.WEIR_SITE_VERSION, 'files')

/** The options of VitePress for Markdown. */
export const links = {
  anchor: { slugify },
  config(markdown) {
    markdown.core.ruler.push('links', (state) => {
      const tokens = state.tokens.flatMap((block) => block.children ?? [])
      tokens
        .filter((token) => token.type === 'link_open' && token.attrGet('class') !== 'header-anchor')
        .forEach((token) => follow(token, state.env.realPath ?? state.env.path))
      // Braces in code are text, not expressions of Vue.
      tokens.filter((token) => token.type === 'code_inline').forEach((token) => token.attrSet('v-pre', ''))
    })
  }
}

function slugify(heading) {
  return heading.trim().toLowerCase().replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '').replace(/\s/g, '-')
}

function follow(token, page) {
  const link = token.attrGet('href')
  if (/^[a-z]+:/.test(link)) {
    return
  }
  const [path, anchor] = link.split('#')
  const target = path === '' ? page : resolve(dirname(page), decodeURI(path))
  const file = join(ROOT, relative(SOURCE, target))
  if (!existsSync(file)) {
    throw new Error(`${page}: ${link} leads nowhere`)
  }
  if (statSync(file).isDirectory()) {
    toFirstPage(token, target)
  } else if (!target.endsWith('.md') || !existsSync(target)) {
    toCopy(token, file)
  } else if (anchor && !anchors(target).has(anchor)) {
    throw new Error(`${page}: ${target} has no heading #${anchor}`)
  } else {
    toPage(token, target, anchor)
  }
}

function toPage(token, document, anchor) {
  const page = `/${pageOf(relative(SOURCE, document))}`
  token.attrSet('href', anchor ? `${page}#${anchor}` : page)
}

function toFirstPage(token, folder) {
  const pages = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.md')) : []
  if (pages.length > 0) {
    toPage(token, join(folder, pages.sort()[0]))
  } else {
    token.attrs = [] // a folder of the repository, which the site does not have
  }
}

function toCopy(token, file) {
  const name = relative(ROOT, file)
  mkdirSync(dirname(join(FILES, name)), { recursive: true })
  copyFileSync(file, join(FILES, name))
  token.attrSet('href', `${process.env.WEIR_SITE_BASE}${process.env.WEIR_SITE_VERSION}/files/${name}`)
  token.attrSet('target', '_blank')
}

function anchors(page) {
  const text = readFileSync(page, 'utf8').replace(/^```.*?^```/gms, '')
  const headings = [...text.matchAll(/^#+ (.*)$/gm)]
  return new Set(headings.map((found) => slugify(found[1].replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'))))
}
