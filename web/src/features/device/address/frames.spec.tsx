import { screen } from '@testing-library/react'
import { http } from 'msw'
import { expect, it } from 'vitest'
import { fakeServer, good, show } from '@/testing/render'
import Frames from './frames'

const server = fakeServer()

const counts = { total: 4, online: 3, idle: 3, inUse: 0, fault: 0, offline: 1, maintenance: 0 }
const frame = (id: number, room: { id: number; name: string | null }) => ({
  id,
  room,
  roomId: room.id,
  name: `F-0${id}`,
  location: '',
  slots: 4,
  counts,
  maintenance: { state: 1 },
  remark: '',
  updatedAt: '2026-11-22 10:00:00',
})

// No other call is expected: names come with the rows.
it('names the room of a frame, leads to it, and says where one is gone', async () => {
  const list = [frame(1, { id: 7, name: '杭州' }), frame(2, { id: 8, name: null })]
  server.use(http.get('*/api/fleet/v1/frames', () => good({ list, total: 2, pageNum: 1, pageSize: 20 })))
  show(<Frames />)
  expect(await screen.findByRole('link', { name: '杭州' })).toHaveAttribute('href', '/device/panel?room=7')
  expect(screen.getByText(/8.*已删除|已删除.*8/)).toBeVisible()
  expect(screen.getByRole('columnheader', { name: '安卓卡' })).toBeVisible()
})
