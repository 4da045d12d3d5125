// Chunks must not import each other in a circle: of two that do, one runs before what it needs is there. `chunks.ts`
// decides what is in which; the build fails where that makes a circle.
import { readFile } from 'node:fs/promises'

const manifest = JSON.parse(await readFile(new URL('../dist/.vite/manifest.json', import.meta.url), 'utf8'))
const done = new Set()

/** The circle that this chunk leads into, if there is one. */
function circleFrom(key, way) {
  if (way.includes(key)) return [...way.slice(way.indexOf(key)), key]
  if (done.has(key)) return undefined
  for (const next of manifest[key].imports ?? []) {
    const found = circleFrom(next, [...way, key])
    if (found) return found
  }
  done.add(key)
  return undefined
}

for (const key of Object.keys(manifest)) {
  const circle = circleFrom(key, [])
  if (circle) {
    console.error(`Chunks import each other in a circle: ${circle.join(' -> ')}. See web/chunks.ts.`)
    process.exit(1)
  }
}
