#!/usr/bin/env node
// Written in old syntax on purpose: whatever Node a person has must be able to read this file and say what is missing.
"use strict";

var path = require("path");

var minimum = [22, 19];

if (isEnough(process.version)) start();
else restart(bundledNode());

function isEnough(version) {
  var parts = version.replace(/^v/, "").split(".").map(Number);
  return parts[0] > minimum[0] || (parts[0] === minimum[0] && parts[1] >= minimum[1]);
}

function start() {
  hideSqliteWarning();
  // Node takes it from here as if it had been started with this file: `import()` is a word that old versions cannot parse.
  process.argv[1] = path.join(__dirname, "..", "dist", "main.js");
  require("module").runMain();
}

/** Before Node 24.15 the built-in SQLite announces itself as experimental. That one warning is hidden, no other. */
function hideSqliteWarning() {
  var emitWarning = process.emitWarning;
  process.emitWarning = function (warning, type) {
    if (type === "ExperimentalWarning" && /^SQLite is an experimental feature/.test(warning)) return;
    return emitWarning.apply(process, arguments);
  };
}

/** The Node that the repository brings along; the published package has none. */
function bundledNode() {
  var system = (process.platform === "win32" ? "win" : process.platform) + "-" + process.arch;
  var names = ["node-" + system, "node-bin-" + system];
  for (var i = 0; i < names.length; i++) {
    try {
      var file = require.resolve(names[i] + "/package.json");
      var found = require(file);
      if (isEnough(found.version)) return path.join(path.dirname(file), found.bin.node);
    } catch (error) {
      // Not installed: on to the next.
    }
  }
  return undefined;
}

function restart(node) {
  if (node === undefined) {
    var needed = "ikigai needs Node " + minimum.join(".") + " or newer";
    console.error(needed + "; this is " + process.version + ". Get one from https://nodejs.org");
    process.exit(1);
  }
  var args = [__filename].concat(process.argv.slice(2));
  var child = require("child_process").spawn(node, args, { stdio: "inherit" });
  var signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];
  signals.forEach(function (signal) {
    process.on(signal, function () {
      // A terminal sends Ctrl+C to the child as well; sending it again would count as the second one.
      if (signal === "SIGINT" && process.stdin.isTTY) return;
      child.kill(signal);
    });
  });
  child.on("error", function (error) {
    console.error("ikigai could not start " + node + ": " + error.message);
    process.exitCode = 1;
  });
  child.on("exit", function (code, signal) {
    if (!signal) process.exit(code);
    signals.forEach(function (name) {
      process.removeAllListeners(name);
    });
    process.kill(process.pid, signal);
  });
}
