import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { seed, temporary } from './server'

/** Makes the demo company that the server of every worker starts with; returns the way to remove it. */
export default async function globalSetup() {
  // A server that a developer keeps running is quicker than new ones for every try.
  if (process.env.E2E_BASE) return
  const folder = temporary()
  process.env.E2E_TEMPLATE = join(folder, 'data')
  await seed(process.env.E2E_TEMPLATE)
  return () => rmSync(folder, { recursive: true })
}
