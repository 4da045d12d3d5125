import { expect, type Locator, type Page } from '@playwright/test'
import type { Language } from './test'

/** The parts of the frame around every page, found as a person or a screen reader finds them. */
export class Shell {
  readonly sidebar: Locator
  readonly scroller: Locator
  readonly crumbs: Locator
  readonly tabs: Locator
  readonly main: Locator
  readonly user: Locator
  readonly logOut: Locator
  readonly toggle: Locator

  constructor(readonly page: Page) {
    this.sidebar = page.getByRole('navigation', { name: /^(主导航|Main navigation)$/ })
    this.scroller = this.sidebar.locator('.sidebar-scroll')
    this.crumbs = page.getByRole('navigation', { name: /^(面包屑导航|Breadcrumbs)$/ })
    this.tabs = page.getByRole('navigation', { name: /^(已打开的页面|Open pages)$/ })
    this.main = page.getByRole('main')
    this.user = page.getByRole('button', { name: /^(当前操作员|Signed in as)/ })
    this.logOut = page.getByRole('button', { name: /^(退出登录|Log out)$/ })
    this.toggle = page.getByRole('button', { name: /侧边栏$|the sidebar$/ })
  }

  /** Goes to a page inside the running console, as a link does: nothing is loaded again. */
  async open(path: string) {
    await this.page.keyboard.press('Control+k')
    const search = this.page.getByRole('combobox', { name: /^(快速搜索|Quick search)$/ })
    await search.fill(path)
    await this.page
      .getByRole('option')
      .filter({ hasText: new RegExp(`${path}$`) })
      .first()
      .click()
    await expect(this.page).toHaveURL(new RegExp(`${path}([?#].*)?$`))
  }

  /** Goes to a page by its entry in the sidebar; by the search, where it has none. */
  async follow(path: string) {
    const closed = this.sidebar.getByRole('button', { expanded: false })
    while ((await closed.count()) > 0) await closed.first().click()
    const entry = this.sidebar.locator(`a.sidebar-row[href="${path}"]`)
    if ((await entry.count()) === 0) await this.open(path)
    else await entry.click()
    await expect(this.page).toHaveURL(new RegExp(`${path}([?#].*)?$`))
    await this.shows(path)
  }

  /** The page before stays in view, under the new address, until there is something of the new one to be seen. */
  async shows(path: string | RegExp) {
    await expect(this.main.locator('.page:visible')).toHaveAttribute('data-path', path)
  }

  /** The tab of a page, by its title. */
  tab(title: string | RegExp): Locator {
    return this.tabs.locator('.tab').filter({ has: this.page.getByRole('button', { name: title, exact: true }) })
  }

  tabNames(): Promise<string[]> {
    return this.tabs.locator('.tab-name').allInnerTexts()
  }

  async tabMenu(title: string | RegExp, act: string | RegExp) {
    await this.tab(title).click({ button: 'right' })
    await this.page.getByRole('menuitem', { name: act, exact: true }).click()
  }

  /** Presses the log-out icon and returns the question. */
  async askToLogOut(): Promise<Locator> {
    await this.logOut.click()
    const question = this.page.getByRole('alertdialog')
    await expect(question).toBeVisible()
    return question
  }
}

/** One value of browser storage, with the time that is kept beside it. */
export interface StoredValue {
  key: string
  value: unknown
  updatedAt: unknown
}

/** Everything in local storage, which has to be JSON of one shape. */
export async function stored(page: Page): Promise<StoredValue[]> {
  const texts = await page.evaluate(() => Object.entries({ ...localStorage }))
  return texts.map(([key, text]) => {
    const { value, updatedAt } = JSON.parse(text) as { value: unknown; updatedAt: unknown }
    return { key, value, updatedAt }
  })
}

export async function cookie(page: Page, name: string): Promise<string | undefined> {
  return (await page.context().cookies()).find((found) => found.name === name)?.value
}

/** What the specification calls its words, in both languages. */
export const words = {
  zh: { tips: '提示', sure: '确定', cancel: '取消', close: '关闭', closeOthers: '关闭其他', closeAll: '关闭所有' },
  en: {
    tips: 'Tips',
    sure: 'Sure',
    cancel: 'Cancel',
    close: 'Close',
    closeOthers: 'Close Others',
    closeAll: 'Close All',
  },
} as const

/** Titles of screens that the tests of the shell walk through. */
export const titles: Record<Language, Record<'clientUser' | 'records' | 'operators' | 'log' | 'dashboard', string>> = {
  zh: {
    clientUser: '客户端用户',
    records: '注册与登录记录',
    operators: '用户管理',
    log: '操作日志',
    dashboard: '首页看板',
  },
  en: {
    clientUser: 'Client users',
    records: 'Registration and logout records',
    operators: 'User management',
    log: 'Operation log',
    dashboard: 'Dashboard',
  },
}

/** Fails one call of the page with an envelope of our choosing; everything else goes to the real server. */
export async function refuseOnce(page: Page, url: RegExp, http: number, body: object) {
  await page.route(url, (route) => route.fulfill({ status: http, json: { data: null, success: false, ...body } }), {
    times: 1,
  })
}
