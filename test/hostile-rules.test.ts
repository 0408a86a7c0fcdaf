import { expect, test } from "vitest";
import { makeCountry, verdictOf } from "./support/verdict.ts";

// Rules for commands: programs that run what a denied name is hidden in, and stars that cover more than they say.

const files = {
  "project/README": "",
  "project/x.c": "",
  "project/src/a.ts": "",
  "project/packages/a/package.json": "",
};

test.each([
  "x=curl; setpriv $x --version",
  'x=curl; setpriv "$x" --version',
  "for c in curl; do setpriv $c --version; done",
  "setpriv /usr/bin/cu?l --version",
  "gcc -E -wrapper curl,--version x.c",
  "tar -Icurl -cf x.tar README",
  "tar -cIcurl -f x.tar README",
  "tar '-Icurl -s' -cf x.tar README",
  "socat -u EXEC:curl,stderr -",
  "socat EXEC:curl",
  "socat EXEC:/usr/bin/curl,stderr -",
  'socat "EXEC:$(printf cu%s rl)" -',
  "printf 'cu%s' rl | xargs choom -n 0",
  "find /usr/bin -name 'cur?' -exec setpriv {} --version ';'",
  'npx "$(printf cu%s rl)"',
  'npx -c "$(printf cu%s rl) --version"',
  "npx -c \"c'u'rl --version\"",
  "npx \"c'u'rl\"",
  "man -Pcurl ls",
  'man "-P$(printf cu%s rl)" ls',
  "rsync -ecurl a b",
  "nc -ecurl",
  "x=rl; docker exec c cu$x",
  "x=rl; ssh h cu$x",
  "x=$(echo rl); uv run cu$x",
  "npm exec cu$(echo rl)",
  "x=rl; dbus-run-session cu$x",
  "make -s 'SHELL=/usr/bin/cur$(L)' L=l",
  "make 'SHELL=/usr/bin/cu?l'",
  'rg "$(printf -- --pre=cu%s rl)" x',
  'sort --compress-program "$(printf cu%s rl)" README',
])("a program that runs others gets no denied one, however its name is put: %s", (line) => {
  const country = makeCountry(files);
  const rules = ["allow Bash", "deny Bash(curl *)"];
  expect(verdictOf(line, country, { rules })).toBe("ask");
  expect(verdictOf(line, country, { rules, mode: "bypassPermissions" })).toBe("ask");
});

test.each([
  "x=push; setpriv git $x origin",
  'setpriv "$(echo git)" push',
  "setpriv $(echo git push)",
  "socat EXEC:git push",
])("a rule of several words holds for what a program hands on: %s", (line) => {
  const rules = ["allow Bash", "deny Bash(git push *)"];
  expect(verdictOf(line, makeCountry(files), { rules })).toBe("ask");
});

test.each([
  'npm test -- "$x"',
  "x=unit; npm test -- $x",
  "docker build -t app:$tag .",
  "docker build -t app:$(git rev-parse --short HEAD) .",
  'docker run -v "$PWD":/app -w /app node:24 npm test',
  'docker run --rm -v "$(pwd):/app" node:24 npm test',
  'for f in src/*.ts; do prettier "$f"; done',
  'for f in src/*; do mytool "$f"; done',
  'for d in packages/*; do npm test --prefix "$d"; done',
  "mytool *",
  'git commit -m "curl is great"',
  'git commit -m "$(date)"',
  "rg curl src",
  'rg -e "$x" src',
  'grep -rn "$(cat README)" src',
  "npm i curl-wrapper",
  "prettier src/curl/a.ts",
  "gcc x.c -lcurl",
  "cmake --with-curl .",
  "go tool cover -func=cover.out",
  'gh pr create --title "$(git log -1 --format=%s)"',
  'node x.js "$(cat README)"',
  'cd "$(git rev-parse --show-toplevel)" && npm test',
  '[ "$(cat README)" = x ] && npm test',
  "git ls-files '*.ts' | xargs eslint",
  "git ls-files | xargs wc -l",
  "find . -name '*.ts' -exec mytool {} +",
  'timeout 60 node x.js "$(cat README)"',
  "make -j$(nproc) all",
  "make; exit $?",
  'mytool "Version $(cat README) is out"',
])("what cannot be the denied program needs no question: %s", (line) => {
  const rules = ["allow Bash", "deny Bash(curl *)", "deny Bash(nc *)"];
  expect(verdictOf(line, makeCountry(files), { rules })).toBe("allow");
});

test.each([
  "for c in rm; do choom -n 0 $c -rf /; done",
  "x=/bin/rm; choom -n 0 $x -rf /",
  'choom -n 0 "$(printf r%s m)" -rf /',
])("a removal of everything is asked about, however its program is put: %s", (line) => {
  expect(verdictOf(line, makeCountry(), { mode: "bypassPermissions" })).toBe("ask");
});

test.each([
  ["npm test *", "npm test -script-shell=./evil"],
  ["npm test *", "npm test -script-s=./evil"],
  ["npm test *", "npm test -prefix=../outside"],
  ["npm test *", "npm test -prefix ../outside"],
  ["npm test *", "npm test -node-options=--require=./evil.js"],
  ["npm test *", "npm test -userconfig=../outside/f"],
  ["npm test *", "npm test -w ../outside"],
  ["npm test *", "npm test --workspace=/outside"],
  ["pnpm test *", "pnpm test --config.script-shell=./evil"],
  ["pnpm test *", "pnpm test -config.script-shell=./evil"],
  ["bun test *", "bun test --preload ./evil.ts"],
  ["bun run *", "bun run --cwd=../outside x"],
  ["zip *", "zip -q -T -qTT ./evil x.zip README"],
  ["zip *", "zip -qT -rTT./evil x.zip README"],
  ["zip *", "zip -T --unzip-c=./evil x.zip README"],
  ["tar tf *", "tar tf t.tar --index-file=../outside/y"],
  ["tar *", "tar cf evil:x README"],
  ["tar *", "tar -cfevil:x README"],
  ["tar *", "tar -c --file=evil:x README"],
  ["tar *", "tar cbf 20 evil:x README"],
  ["tar *", "x=:y; tar cf evil$x README"],
  ["git config *", "git config -f ../outside/y user.name evil"],
  ["git config *", "git config --file=../outside/y user.name evil"],
  ["cargo test *", "cargo test --manifest-path ../outside/Cargo.toml"],
  ["cargo test *", "cargo test --manifest-path=/outside/Cargo.toml"],
])("a star in Bash(%s) covers no acting option in another spelling: %s", (rule, line) => {
  const rules = [`allow Bash(${rule})`];
  expect(verdictOf(line, makeCountry(files), { rules })).toBe("ask");
});

test.each([
  ["npm test *", "npm test -w packages/a --silent"],
  ["npm test *", "npm test -ws"],
  ["npm test *", "npm test -- ../x -prefix=../y"],
  ["npm install *", "npm install -D typescript --registry=https://registry.example.com/"],
  ["pnpm *", "pnpm -C packages/a test"],
  ["zip *", "zip -qr x.zip src"],
  ["tar *", "tar -czf x.tgz -C src ."],
  ["tar *", "tar czf backup-$(date +%F).tgz src"],
  ["tar *", "tar xf ./a:b.tar"],
  ["git config *", "git config --file .gitmodules --get-regexp path"],
  ["cargo test *", "cargo test --manifest-path packages/a/Cargo.toml --target-dir /tmp/t"],
  ["npm * --dry-run", "npm publish --tag next --dry-run"],
  ["npm run test:*", "npm run test"],
  ["npm*", "npm run build"],
  ["./scripts/*", "./scripts/build.sh --all 'a b'"],
  ["scripts/*.sh", "scripts/build.sh"],
  ["cat src/*", "cat src/a.ts"],
])("a star in Bash(%s) covers %s", (rule, line) => {
  const rules = [`allow Bash(${rule})`, "allow Bash(date *)"];
  expect(verdictOf(line, makeCountry(files), { rules })).toBe("allow");
});

test.each([
  ["npm * --dry-run", 'npm version patch "--message=x --dry-run"'],
  ["kubectl * --dry-run=client", 'kubectl delete pod a "b --dry-run=client"'],
  ["npm run * x", "npm run 'a x'"],
])("the literal of Bash(%s) behind a star is no end of a word with a blank: %s", (rule, line) => {
  const rules = [`allow Bash(${rule})`];
  expect(verdictOf(line, makeCountry(files), { rules })).toBe("ask");
});

test.each([
  ["./scripts/*", "./scripts/../../../../bin/sh -c 'id'"],
  ["./scr*", "./scripts/../../../../bin/sh -c 'id'"],
  ["./scripts/* --all", "./scripts/../../../bin/sh --all"],
  ["scripts/*.sh", "scripts/../../../../bin/sh -c 'echo' x.sh"],
  ["scripts/*.sh", "scripts/run -c echo x.sh"],
  ["./node_modules/.bin/*", "./node_modules/.bin/../../../../../bin/sh -c 'echo'"],
  ["bash scripts/*", "bash scripts/../evil"],
  ["bash scripts/*", 'x=../evil; bash "scripts/$x"'],
  ["cat docs/*", "cat docs/../../outside/f"],
  ["rm docs/*", "rm docs/a docs/../kept.txt"],
])("a star in a path, Bash(%s), does not go up: %s", (rule, line) => {
  const rules = [`allow Bash(${rule})`];
  expect(verdictOf(line, makeCountry(files), { rules })).toBe("ask");
});

test.each([
  ["rm -rf *", "rm -fr d"],
  ["rm -rf *", "rm -r -f d"],
  ["rm -rf *", "rm -rfv d"],
  ["rm -rf *", "rm d -rf"],
  ["rm -rf *", "rm --recursive --force d"],
  ["rm -rf *", "setpriv rm -fr d"],
  ["git push --force *", "git push rr HEAD:x --force"],
  ["git push --force *", "git push -uf origin x"],
  ["git push --force", "git push -f"],
  ["git commit --no-verify *", "git commit -m x -n"],
  ["git commit --no-verify *", "git commit -m x --no-ver"],
  ["docker run --privileged *", "docker run --privileged=true x"],
  ["docker run --privileged *", "docker run -it --privileged x"],
  ["curl -X POST *", "curl -XPOST h"],
  ["curl -X POST *", "curl h -X POST"],
  ["curl -X POST *", "curl --request=POST h"],
  ["npm install -g *", "npm install x -g"],
  ["npm install -g *", "npm install --global x"],
])("a rule that denies options, Bash(%s), holds in any order and bundle: %s", (rule, line) => {
  const rules = ["allow Bash", `deny Bash(${rule})`];
  expect(verdictOf(line, makeCountry(files), { rules })).not.toBe("allow");
});

test.each([
  "rm -f d",
  "rm -r d",
  "rm d",
  "git push origin x",
  "git push --force-with-lease origin x",
  "docker run -p 80:80 x",
  "curl -XGET h",
  "npm install x",
])("a rule that denies options is not about the command without them: %s", (line) => {
  const denied = ["rm -rf", "git push --force", "git commit --no-verify", "npm install -g"];
  const others = ["docker run --privileged", "curl -X POST"];
  const rules = [...denied, ...others].map((one) => `deny Bash(${one} *)`);
  expect(verdictOf(line, makeCountry(files), { rules: ["allow Bash", ...rules] })).toBe("allow");
});

test.each([
  ["./scripts/deploy.sh *", "scripts/deploy.sh"],
  ["./scripts/deploy.sh *", ".//scripts/deploy.sh x"],
  ["./scripts/deploy.sh *", "././scripts/deploy.sh"],
  ["./scripts/deploy.sh *", "./scripts/../scripts/deploy.sh"],
  ["./scripts/deploy.sh *", "cd scripts; ./deploy.sh"],
  ["./scripts/deploy.sh *", 'cd "$(cat README)"; ./deploy.sh'],
  ["./scripts/deploy.sh *", "bash scripts/deploy.sh"],
  ["./scripts/deploy.sh *", "nohup scripts/deploy.sh"],
  ["./scripts/deploy.sh", "scripts/deploy.sh"],
  ["./scripts/*", "scripts/deploy.sh --all"],
  ["scripts/deploy.sh *", "./scripts/deploy.sh"],
  ["scripts/deploy.sh *", "env ./scripts/deploy.sh"],
  ["bash scripts/deploy.sh *", "bash ./scripts/deploy.sh"],
  ["bash scripts/deploy.sh *", "bash -x ./scripts/deploy.sh"],
])("a rule that denies a program by its path, Bash(%s), holds for %s", (rule, line) => {
  const country = makeCountry({ ...files, "project/scripts/deploy.sh": "" });
  const rules = ["allow Bash", `deny Bash(${rule})`];
  expect(verdictOf(line, country, { rules })).not.toBe("allow");
});

test("a rule that denies a program by its path holds for the whole path, and for no other program", () => {
  const country = makeCountry({ ...files, "project/scripts/deploy.sh": "" });
  const rules = ["allow Bash", "deny Bash(./scripts/deploy.sh *)"];
  expect(verdictOf(`${country.project}/scripts/deploy.sh`, country, { rules })).not.toBe("allow");
  for (const line of ["scripts/build.sh", "cat scripts/deploy.sh", "git add scripts/deploy.sh"])
    expect(verdictOf(line, country, { rules }), line).toBe("allow");
});

test.each([
  ["git add *", "git add --pathspec-from-file=../outside/f"],
  ["git commit *", "git commit -q --allow-empty -F ../outside/f"],
  ["git commit *", "git commit --file=/etc/passwd"],
  ["git commit *", 'git commit -F "$x"'],
  ["git checkout *", "git checkout --pathspec-from-file ../outside/f"],
  ["git blame *", "git blame --contents=../outside/f README"],
  ["git diff *", "git diff --no-index /dev/null ../outside/f"],
  ["git grep *", "git grep --no-index x ../outside"],
  ["date *", "date -f ../outside/f"],
  ["date *", "date --fil=../outside/f"],
  ["du *", "du --files0-from=../outside/f"],
  ["du *", "du --files0 ../outside/f"],
])("a star in Bash(%s) shows no file outside by an option: %s", (rule, line) => {
  const country = makeCountry({ ...files, "outside/f": "" });
  expect(verdictOf(line, country, { rules: [`allow Bash(${rule})`] })).toBe("ask");
});

test.each([
  ["git commit *", "git add README && git commit -F README"],
  ["git commit *", "git commit -F - <<'E'\ntext\nE"],
  ["git commit *", 'git commit -m "$(cat README)"'],
  ["git diff *", "git diff --no-index README src/a.ts"],
  ["git log *", "git log -S/etc/passwd -F --oneline"],
  ["git merge *", "git merge -X theirs main"],
  ["date *", "date -d tomorrow +%F"],
  ["du *", 'du -sh "$x"'],
])("a star in Bash(%s) covers files of the folder and texts: %s", (rule, line) => {
  const rules = [`allow Bash(${rule})`, "allow Bash(git add *)"];
  expect(verdictOf(line, makeCountry(files), { rules })).toBe("allow");
});

test.each([
  "printf 'r .e%s\\n%%p\\n!cu%s x\\nq!\\n' nv rl | ex -s README",
  "printf 'all:\\n\\tcat .e%s; cu%s x\\n' nv rl | make -s -f -",
  "printf '%s%s x .%s\\n' cu rl env | make -f -",
  "printf 'all:\\n\\tcat .\\u0065nv; c\\u0075rl x\\n' | make -s -f -",
  "echo 'all: ; cXat .eXnv; cXurl x' | tr -d X | make -s -f -",
  "echo 'vne. tac ;x lruc ;' | rev | make -f -",
])("texts that printf puts together, or tr and rev change, count as they come out: %s", (line) => {
  const country = makeCountry({ ...files, "project/.env": "" });
  for (const rule of ["deny Read(./.env)", "deny Bash(curl *)"])
    expect(verdictOf(line, country, { rules: ["allow Bash", rule] }), rule).not.toBe("allow");
});
