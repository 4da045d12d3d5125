import { screen, within } from '@testing-library/react'
import { http } from 'msw'
import { expect, it } from 'vitest'
import { fakeServer, good, show } from '@/testing/render'
import DiscoveredPage from './page'

const server = fakeServer()

const found = {
  id: 5,
  roomId: 1,
  room: { id: 1, name: '杭州' },
  kind: 1,
  card: null,
  proposal: { frame: { id: 2, name: 'A-01' }, host: { id: 7, name: 'blade-1' }, position: 3, basis: 'bmc' },
  serial: 'SN3',
  intranetIp: '10.1.0.3',
  adbPort: 5555,
  manufacturer: '瑞芯',
  model: 'RK3588',
  board: 'RK_3588',
  foundAt: '2026-11-22 10:00:00',
  seenAt: '2026-11-22 10:00:00',
  ignoredAt: null,
  ignoredBy: '',
}

it('proposes a place for a new card, fills it in, and sends what the person made of it', async () => {
  const sent: unknown[] = []
  const page = (list: object[]) => good({ list, total: list.length, pageNum: 1, pageSize: 20 })
  server.use(
    http.get('*/api/fleet/v1/findings', () => page([found])),
    http.get('*/api/fleet/v1/frames*', () => page([{ id: 2, name: 'A-01' }])),
    http.get('*/api/fleet/v1/hosts*', () => page([{ id: 7, name: 'blade-1' }])),
    http.post('*/api/fleet/v1/findings/5/fix', async ({ request }) => {
      sent.push(await request.json())
      return good({})
    }),
  )
  const { user } = show(<DiscoveredPage />)
  expect(await screen.findByTitle('按 BMC 映射')).toHaveTextContent('A-01 / blade-1 / 3')
  await user.click(screen.getByRole('button', { name: '登记' }))
  const dialog = within(await screen.findByRole('dialog'))
  const position = await dialog.findByRole('spinbutton', { name: '卡位' })
  expect(position).toHaveValue('3')
  await user.clear(position)
  await user.type(position, '4')
  await user.click(dialog.getByRole('button', { name: /确定|登记/ }))
  await expect.poll(() => sent).toEqual([{ hostId: 7, position: 4 }])
})
