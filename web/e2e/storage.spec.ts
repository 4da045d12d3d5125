import type { Page } from '@playwright/test'
import { row, rowAct } from './support/list'
import { Shell } from './support/shell'
import { expect, test } from './support/test'

// It makes and deletes storage nodes, through the agents of the living rooms.
test.use({ company: 'storage' })

const path = '/storage/management'

async function make(page: Page, name: string, place: string) {
  await new Shell(page).main.getByRole('button', { name: '新建节点' }).first().click()
  const form = page.getByRole('dialog')
  await form.getByLabel('名称').fill(name)
  await form.getByLabel('城市').fill('上海')
  await form.getByLabel('可达代理').click()
  await page.locator('.ant-select-dropdown:visible .ant-select-item-option').filter({ hasText: '上海' }).first().click()
  await page.keyboard.press('Escape')
  await form.getByLabel('路径').fill(place)
  await form.getByLabel('容量').fill('10')
  await form.getByRole('button', { name: '保存' }).click()
  await expect(form).toBeHidden()
}

test('a node is made at an agent, tested, drained, retired and deleted', async ({ page, enter }) => {
  await enter(undefined, 'zh', path)
  // The one of the demo has been there since its agent came.
  await expect(row(page, '上海-存储-01').getByText('正常')).toBeVisible({ timeout: 60_000 })
  await make(page, '验收节点', 'trial')
  await expect(row(page, '验收节点').getByText('正常')).toBeVisible({ timeout: 30_000 })

  await rowAct(page, '验收节点', '测试连接')
  await page.getByRole('dialog').getByRole('button', { name: '测试连接' }).click()
  await expect(page.getByText('验收节点：所有代理均可读写')).toBeVisible()
  await row(page, '验收节点').getByRole('link', { name: '验收节点' }).click()
  await page.getByRole('tab', { name: '可达代理' }).click()
  // The message says it too, for a moment.
  await expect(page.getByText('可读写', { exact: true })).toBeVisible()
  await page.getByRole('tab', { name: '用量' }).click()
  await expect(page.getByRole('img', { name: '用量' })).toBeVisible()
  await page.goto(path)

  for (const [act, state] of [
    ['排空', '排空中'],
    ['停用', '已停用'],
  ] as const) {
    await rowAct(page, '验收节点', act)
    await page.getByRole('dialog').getByRole('button', { name: act }).click()
    await expect(row(page, '验收节点').getByText(state)).toBeVisible()
  }
  await rowAct(page, '验收节点', '删除')
  await page.getByRole('dialog').getByRole('button', { name: '删除' }).click()
  await expect(row(page, '验收节点')).toHaveCount(0)
})

test('a place that the agent does not allow is told with its reason', async ({ page, enter }) => {
  await enter(undefined, 'zh', path)
  await make(page, '外部节点', '/etc')
  const made = row(page, '外部节点')
  await expect(made.getByText('不可达')).toBeVisible()
  await made.getByRole('link', { name: '外部节点' }).click()
  await expect(page.getByText('连接：机房代理不允许在该位置存放').first()).toBeVisible({ timeout: 30_000 })
  await page.getByRole('tab', { name: '可达代理' }).click()
  await expect(page.getByText('--store-root names')).toBeVisible()
})
