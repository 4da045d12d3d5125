import { Shell, titles, words } from './support/shell'
import { expect, test } from './support/test'

// The focus moves when things have come and gone: as they do for most people, in their time.
test.use({ contextOptions: { reducedMotion: 'no-preference' } })

test('Ctrl-K jumps to any page by the keyboard alone, in either language', async ({ page, enter }) => {
  await enter()
  for (const [text, path] of [
    ['操作日志', '/user/operationLog'],
    ['registration', '/clientUser/records'],
  ] as const) {
    await page.keyboard.press('Control+k')
    await page.keyboard.type(text)
    await expect(page.getByRole('option').first()).toContainText(path)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(new RegExp(`${path}$`))
  }
  await page.keyboard.press('Control+k')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('combobox', { name: '快速搜索' })).toHaveCount(0)
})

test('the whole shell is within reach of the keyboard', async ({ page, enter }) => {
  await enter()
  const shell = new Shell(page)
  await page.keyboard.press('Tab')
  const skip = page.getByRole('button', { name: '跳到主要内容' })
  await expect(skip).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(shell.main).toBeFocused()
  await shell.tab(titles.zh.clientUser).getByRole('button').first().focus()
  await page.keyboard.press('Shift+F10')
  await expect(page.getByRole('menuitem', { name: words.zh.close, exact: true })).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('menuitem', { name: words.zh.closeOthers, exact: true })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('menu')).toHaveCount(0)
})

test('Escape closes the innermost thing, and the focus returns to where it came from', async ({ page, enter }) => {
  await enter()
  const shell = new Shell(page)
  await shell.logOut.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alertdialog')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('alertdialog')).toHaveCount(0)
  await expect(shell.logOut).toBeFocused()

  await page.getByRole('button', { name: '新建客户端用户' }).press('Enter')
  const form = page.getByRole('dialog')
  await expect(form.getByLabel('姓名')).toBeVisible()
  // What is being typed here must not be lost to a jump elsewhere.
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('combobox', { name: '快速搜索' })).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(form).toBeHidden()
})

test('Tab reaches every part of the frame in reading order', async ({ page, enter }) => {
  await enter()
  const shell = new Shell(page)
  const order = [shell.sidebar.getByRole('link').first(), shell.toggle, shell.user, shell.logOut]
  let at = 0
  for (let presses = 0; presses < 40 && at < order.length; presses++) {
    await page.keyboard.press('Tab')
    if (await order[at]?.evaluate((element) => element === document.activeElement)) at += 1
  }
  expect(at, 'parts reached in order').toBe(order.length)
  await page.keyboard.press('Tab')
  await expect(shell.tabs.getByRole('button').first()).toBeFocused()
})

test('the sidebar and a collapsed group are used by the keyboard', async ({ page, enter }) => {
  await enter()
  const shell = new Shell(page)
  const group = shell.sidebar.getByRole('button', { name: '用户管理', exact: true })
  await group.press('Enter')
  await expect(group).toHaveAttribute('aria-expanded', 'true')
  await shell.toggle.press('Enter')
  await expect(shell.toggle).toHaveAccessibleName('展开侧边栏')
  await group.focus()
  const log = shell.sidebar.getByRole('link', { name: titles.zh.log, exact: true })
  await expect(log).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(log).toBeHidden()
  await group.press('Enter')
  await log.press('Enter')
  await expect(page).toHaveURL(/\/user\/operationLog$/)
})
