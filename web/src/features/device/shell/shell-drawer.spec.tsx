import { screen } from '@testing-library/react'
import { http } from 'msw'
import { useEffect } from 'react'
import { beforeEach, expect, it, vi } from 'vitest'
import { ApiFailure } from '@/api/failure'
import { fakeServer, good, show } from '@/testing/render'
import ShellDrawer from './shell-drawer'

const { openShell } = vi.hoisted(() => ({ openShell: vi.fn() }))
vi.mock('./session', () => ({ openShell }))
// jsdom draws no terminal.
vi.mock('@/ui/terminal', () => ({
  Terminal: ({ handle, onReady }: { handle: { current: unknown }; onReady: () => void }) => {
    // As the real one: it says so once it is there.
    useEffect(() => {
      handle.current = { size: () => ({ rows: 24, columns: 80 }) }
      onReady()
    })
    return <div>terminal</div>
  },
}))

const server = fakeServer()

beforeEach(() => {
  openShell.mockReset()
  openShell.mockReturnValue(new Promise(() => undefined))
})

/** A shell is opened on a card that has this phone. */
function open(phone: { id: number; name: string } | null, rights?: string[]) {
  server.use(http.get('*/api/fleet/v1/cards/7', () => good({ id: 7, phone })))
  return show(<ShellDrawer card={7} name="10.0.0.7:5555" onClose={() => undefined} />, rights && { rights })
}

/** For which reasons shells were asked for. */
const reasons = () => openShell.mock.calls.map(([card, reason]) => [card, reason])

it('where nobody has a phone it opens at once', async () => {
  open(null)
  expect(await screen.findByText('terminal')).toBeVisible()
  expect(reasons()[0]).toEqual([7, ''])
  expect(screen.queryByLabelText('原因')).toBeNull()
})

it('where a customer has one it is asked why, and not opened without', async () => {
  const { user } = open({ id: 17, name: 'CP-0000017' })
  const reason = await screen.findByLabelText('原因')
  await user.click(screen.getByRole('button', { name: '打开终端' }))
  expect(openShell).not.toHaveBeenCalled()
  await user.type(reason, '客户报障')
  await user.click(screen.getByRole('button', { name: '打开终端' }))
  expect(await screen.findByText('terminal')).toBeVisible()
  expect(reasons()[0]).toEqual([7, '客户报障'])
})

it('who may not see what is on the card is asked as well, and may leave it out', async () => {
  const { user } = open(null, ['device:shell'])
  expect(await screen.findByLabelText('原因')).toBeVisible()
  await user.click(screen.getByRole('button', { name: '打开终端' }))
  expect(await screen.findByText('terminal')).toBeVisible()
})

it('where a phone has come meanwhile the server asks', async () => {
  const field = { field: 'reason', code: 'required', message: '必填' }
  openShell.mockRejectedValue(new ApiFailure({ status: 4000, httpStatus: 400, msg: '必填', errors: [field] }))
  open(null)
  expect(await screen.findByLabelText('原因')).toBeVisible()
})
