import { screen } from '@testing-library/react'
import { http } from 'msw'
import { expect, it } from 'vitest'
import { fakeServer, good, show } from '@/testing/render'
import Form from './form'

const server = fakeServer()

const at = '2026-11-28T02:30:00Z'
const game = { id: 7, name: '小游戏', package: 'com.example.game', plan: null, createdAt: at, updatedAt: at }

it('says of an app that phones of all plans may not have it, by leaving the plan out', async () => {
  let sent: unknown
  server.use(
    http.put('*/api/storage/v1/forbidden-apps/7', async ({ request }) => {
      sent = await request.json()
      return good(game)
    }),
  )
  const { user } = show(<Form app={game} onClose={() => {}} />)
  expect(await screen.findByText('全部套餐')).toBeVisible()
  const name = screen.getByDisplayValue('小游戏')
  await user.clear(name)
  await user.type(name, '游戏')
  await user.click(screen.getByRole('button', { name: '保存' }))
  await expect.poll(() => sent).toEqual({ name: '游戏', package: 'com.example.game' })
})
