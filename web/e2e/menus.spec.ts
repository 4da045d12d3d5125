import type { Page } from '@playwright/test'
import { unique } from './support/api'
import { confirm, dismiss, row, rowAct, search } from './support/list'
import { expect, test } from './support/test'

/** Fills in the form that is open, and saves. */
async function make(page: Page, name: string, path: string) {
  const form = page.getByRole('dialog')
  await form.getByLabel('名称').fill(name)
  await form.getByLabel('路径').fill(path)
  await form.getByRole('button', { name: '保存' }).click()
  await expect(form).toBeHidden()
}

test('a section gets screens, which are moved, hidden, shown and deleted', async ({ page, enter }) => {
  await enter(undefined, 'zh', '/user/menus')
  const word = unique('ops')
  const [section, first, second] = [`运营${word}`, `报表${word}`, `活动${word}`]
  await page.getByRole('button', { name: '新建分组' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('名称').fill(section)
  await form.getByLabel('路径').fill('not a path')
  await form.getByRole('button', { name: '保存' }).click()
  await expect(form.locator('[aria-invalid=true]')).toHaveCount(1)
  await make(page, section, `/${word}`)

  await search(page, '搜索名称、路径、权限码', word)
  for (const [name, path] of [
    [first, 'report'],
    [second, 'activity'],
  ] as const) {
    await rowAct(page, section, '新建页面')
    await make(page, name, path)
    await expect(row(page, name)).toContainText(`/${word}/${path}`)
  }
  await expect(row(page, first).getByText('无页面')).toBeVisible()

  const order = () => page.locator('tr[data-row] .menu-title').allTextContents()
  expect(await order()).toEqual([section, first, second])
  await rowAct(page, second, '上移')
  await expect.poll(order).toEqual([section, second, first])

  await rowAct(page, first, '隐藏')
  await confirm(page, '隐藏', first)
  await expect(row(page, first)).toContainText('隐藏')
  await rowAct(page, first, '显示')
  await expect(row(page, first)).toContainText('显示')

  await rowAct(page, first, '编辑')
  await form.getByLabel('名称').fill(`周${first}`)
  await form.getByRole('button', { name: '保存' }).click()
  await expect(row(page, `周${first}`)).toBeVisible()

  for (const name of [`周${first}`, second, section]) {
    await rowAct(page, name, '删除')
    await confirm(page, '删除', name)
    await expect(row(page, name)).toHaveCount(0)
  }
})

test('a built-in entry keeps its path and its code, and can not be deleted', async ({ page, enter }) => {
  await enter(undefined, 'en', '/user/menus')
  await search(page, 'Search name, path or code', '/clientUser/records')
  const screen = page.locator('tr[data-row]', { hasText: '/clientUser/records' }).first()
  await screen.getByRole('button', { name: 'Edit' }).click()
  const form = page.getByRole('dialog')
  await expect(form.getByText('The path and code of a built-in entry are fixed', { exact: false })).toBeVisible()
  await expect(form.getByLabel('Path')).toHaveCount(0)
  await dismiss(page, form)
  await screen.getByRole('button', { name: /^More/ }).click()
  await expect(page.getByRole('menuitem', { name: /Delete/ })).toBeDisabled()
  await expect(page.getByText('A built-in entry cannot be deleted; hide it instead')).toBeVisible()
})
