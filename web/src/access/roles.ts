/** The role that may do everything. */
export const adminRole = 'admin'
