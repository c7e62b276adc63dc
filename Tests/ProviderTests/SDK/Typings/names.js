// Prints what the typings say there is, as JSON: for each path, the sorted names of its members.
//
//     node names.js FILE.d.ts
const typescript = require("typescript");

const [path] = process.argv.slice(2);
const program = typescript.createProgram([path], {
  lib: ["lib.es2022.d.ts", "lib.dom.d.ts"],
  types: [],
});
const checker = program.getTypeChecker();
const source = program.getSourceFile(path);

const isValue = (symbol) => (symbol.flags & typescript.SymbolFlags.Value) !== 0;
const isType = (symbol) => (symbol.flags & typescript.SymbolFlags.Interface) !== 0;
// What is declared here, and not in the libraries of the language and the DOM.
const isOwn = (symbol) =>
  symbol.declarations?.some((declaration) => declaration.getSourceFile() === source) ?? false;
const names = (type) =>
  checker
    .getPropertiesOfType(type)
    .filter(isOwn)
    .map((symbol) => symbol.name)
    .sort();

const isModule = (symbol) => symbol.name.startsWith('"');
const declared = checker.getSymbolsInScope(source, typescript.SymbolFlags.All).filter(isOwn);
const scope = declared.filter((symbol) => !isModule(symbol));
const found = { globals: scope.filter(isValue).map((symbol) => symbol.name).sort() };
for (const symbol of scope) {
  if (symbol.flags & typescript.SymbolFlags.Class || isType(symbol)) {
    found[symbol.name] = names(checker.getDeclaredTypeOfSymbol(symbol));
  }
  if (symbol.flags & typescript.SymbolFlags.ValueModule) {
    found[symbol.name] = [...symbol.exports.values()]
      .filter(isValue)
      .map((member) => member.name)
      .sort();
    for (const member of symbol.exports.values()) {
      if (!isType(member)) continue;
      found[`${symbol.name}.${member.name}`] = names(checker.getDeclaredTypeOfSymbol(member));
    }
  }
}
for (const symbol of checker.getAmbientModules().filter(isOwn)) {
  const exported = checker.getExportsOfModule(symbol).filter(isValue);
  found[symbol.name.replaceAll('"', "")] = exported.map((member) => member.name).sort();
  for (const member of exported) {
    if (member.flags & typescript.SymbolFlags.Class) {
      found[member.name] = names(checker.getDeclaredTypeOfSymbol(member));
    }
  }
}
console.log(JSON.stringify(found));
