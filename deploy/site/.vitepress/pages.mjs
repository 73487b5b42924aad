// The pages of the site, from the documents: docs/README.md has their order.
import { readFileSync, readdirSync } from 'node:fs'
import { join, normalize } from 'node:path'

const SOURCE = 'target/source'
const LINK = /\[([^\]]+)\]\(([^)]+\.md)\)/

/** The page of a document, which is named by its path from the root of the project. */
export function pageOf(document) {
  if (document === 'docs/README.md') {
    return 'documents.md'
  }
  return document.replace(/^docs\//, '').replace(/README\.md$/, 'index.md')
}

/** The groups of the sidebar: the headings of docs/README.md with their links. */
export function groups() {
  const found = []
  for (const line of readFileSync(join(SOURCE, 'docs/README.md'), 'utf8').split('\n')) {
    const link = LINK.exec(line)
    if (line.startsWith('## ')) {
      found.push({ text: line.slice(3), collapsed: found.length > 1, items: [] })
    } else if (found.length > 0 && link) {
      found.at(-1).items.push({ text: link[1], link: `/${pageOf(normalize(`docs/${link[2]}`))}` })
    }
  }
  return found
}

/** A page for each decision, by number. */
export function decisions() {
  const folder = join(SOURCE, 'docs/decisions')
  return readdirSync(folder).sort().map((file) => ({
    text: readFileSync(join(folder, file), 'utf8').split('\n', 1)[0].replace(/^# /, ''),
    link: `/decisions/${file}`
  }))
}
