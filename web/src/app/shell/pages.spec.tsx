import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { currentRoutes } from '@/access/access'
import { screens, tree } from '@/access/fixtures'
import { setScreens } from '@/access/screens'
import { updateSession } from '@/access/session'
import { loadModule } from '@/kit/modules'
import { show } from '@/testing/render'
import { Pages } from './pages'

/** Shows the page of an address whose module is fetched in this way. */
function showPage(path: string, load: () => Promise<{ default: () => string }>) {
  // React tells what a boundary has caught.
  vi.spyOn(console, 'error').mockImplementation(() => {})
  setScreens(screens.map((each) => (each.path === path ? { ...each, load } : each)))
  updateSession({ roles: ['admin'], menuTree: [...tree] })
  // As the guard does in front of every page.
  currentRoutes()
  return show(<Pages />, { at: path })
}

it('a page whose module did not come says so, and comes when it is tried again', async () => {
  let isThere = false
  // What Vite gives for a module that did not come, once somebody has heard of it.
  const nothing = undefined as unknown as { default: () => string }
  const load = vi.fn(async () => (isThere ? { default: () => 'Records' } : nothing))
  const { user } = showPage('/clientUser/records', load)
  const retry = await screen.findByRole('button', { name: '重试' })
  expect(load, 'it is not asked for again by itself').toHaveBeenCalledOnce()
  isThere = true
  await user.click(retry)
  expect(await screen.findByText('Records')).toBeVisible()
})

it('a page that was loaded after it had failed is shown when it is tried again', async () => {
  const load = vi.fn(() => Promise.reject(new Error('gone')))
  const { user } = showPage('/licence/statistics', load)
  const retry = await screen.findByRole('button', { name: '重试' })
  await loadModule('licence.statistics', async () => ({ default: () => 'Statistics' }))
  await user.click(retry)
  expect(await screen.findByText('Statistics')).toBeVisible()
  expect(load).toHaveBeenCalledOnce()
})
