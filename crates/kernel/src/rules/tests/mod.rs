mod catalogue;
mod properties;
mod table;
