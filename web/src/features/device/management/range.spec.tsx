import { screen, waitFor } from '@testing-library/react'
import { http } from 'msw'
import { expect, it } from 'vitest'
import { fakeServer, good, show } from '@/testing/render'
import CardRange from './range'

const server = fakeServer()

const page = (list: object[]) => good({ list, total: list.length, pageNum: 1, pageSize: 20 })

it('asks for the plans of the room that was chosen, and sends no room', async () => {
  const asked: URLSearchParams[] = []
  const sent: unknown[] = []
  server.use(
    http.get('*/api/fleet/v1/rooms', () => page([{ id: 7, name: '杭州' }])),
    http.get('*/api/fleet/v1/address-plans', ({ request }) => {
      asked.push(new URL(request.url).searchParams)
      return page([{ id: 3, name: '一号段', intranet: { startIp: '10.99.0.1' } }])
    }),
    http.post('*/api/fleet/v1/cards/range/preview', async ({ request }) => {
      sent.push(await request.json())
      return good({ newCards: 12, taken: 0, sample: [] })
    }),
  )
  const { user } = show(<CardRange onClose={() => undefined} />)
  const plan = await screen.findByRole('combobox', { name: '地址段' })
  expect(plan).toBeDisabled()
  await user.click(screen.getByRole('combobox', { name: '机房' }))
  await user.click(await screen.findByText('杭州'))
  await waitFor(() => expect(plan).toBeEnabled())
  await user.click(plan)
  await user.click(await screen.findByText('一号段 10.99.0.1'))
  expect(asked[0]?.get('roomId')).toBe('7')
  expect(asked[0]?.get('pageSize')).toBe('20')
  await user.click(screen.getByRole('button', { name: '预览' }))
  expect(await screen.findByText('新建 12 张卡')).toBeVisible()
  expect(sent).toEqual([{ planId: 3, first: 0, count: 12, isAssignable: true, isOvercommit: true }])
})
