import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const web = resolve(import.meta.dirname, '..')
const templates = resolve(web, '../xtask/templates')

/**
 * An entity whose calls are there, with the fields that the template knows. A new one's calls come with its server's
 * half, so that there are none here.
 */
const names = {
  domain: 'sample',
  snake: 'room',
  camel: 'room',
  Pascal: 'Room',
  kebab: 'room',
  zh: '公告',
  en: 'Announcement',
}

/** What `cargo xtask new-entity` makes of a template. The words of its row are here those of a view. */
function filled(template: string): string {
  const text = readFileSync(resolve(templates, `${template}.txt`), 'utf8')
  const made = Object.entries(names).reduce((made, [name, word]) => made.replaceAll(`__${name}__`, word), text)
  return made.replaceAll("'@/api/words/Room'", "'@/api/words/RoomView'")
}

test('what `cargo xtask new-entity` writes for the console has the right types', { timeout: 60_000 }, () => {
  // Not in `src`: other tests look at what is there while this one runs.
  const folder = mkdtempSync(resolve(web, '.template-'))
  try {
    mkdirSync(resolve(folder, 'room'))
    for (const name of ['page.tsx', 'form.tsx', 'messages.ts']) {
      const text = filled(name)
      expect(text, `${name}: every name is filled in`).not.toMatch(/__\w+__/)
      writeFileSync(resolve(folder, 'room', name), text)
    }
    const project = {
      extends: '../tsconfig.json',
      compilerOptions: { paths: { '@/*': ['../src/*'] } },
      include: ['room'],
    }
    writeFileSync(resolve(folder, 'tsconfig.json'), JSON.stringify(project))
    const { stdout, status } = spawnSync(resolve(web, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' })
    expect(stdout).toBe('')
    expect(status).toBe(0)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
