import { expect, it, vi } from 'vitest'
import { componentOf, loadModule } from './modules'

const Page = () => 'page'
const good = async () => ({ default: Page })
/** What Vite gives for a module that did not come, once somebody has heard of it. */
const nothing = async () => undefined as unknown as { default: typeof Page }
const refused = () => Promise.reject(new Error('gone'))

it.each([
  ['gives nothing', nothing],
  ['fails', refused],
])('a load that %s hinders nobody, and is begun again the next time', async (how, load) => {
  await loadModule(how, load)
  const again = vi.fn(good)
  await loadModule(how, again)
  expect(again).toHaveBeenCalledOnce()
  expect(componentOf(how, good)).toBe(Page)
})

it('what has come is not asked for again', async () => {
  const once = vi.fn(good)
  await Promise.all([loadModule('once', once), loadModule('once', once)])
  await loadModule('once', once)
  expect(once).toHaveBeenCalledOnce()
})
