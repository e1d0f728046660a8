// Reads the report of the tests and prints the one line a machine looks for. Runs on any Node.
"use strict";

var fs = require("fs");

var broken = Number(process.argv[3]);
var text = fs.readFileSync(process.argv[2], "utf8");
var report = text === "" ? {} : JSON.parse(text);
var passed = report.numPassedTests || 0;
var failed = report.numFailedTests || 0;
// A file that does not even load has no tests that could fail.
failed += (report.testResults || []).filter(function (file) {
  return file.status === "failed" && file.assertionResults.every(notFailed);
}).length;
var skipped = (report.numPendingTests || 0) + (report.numTodoTests || 0);
// A step that failed without a failed test (types, a file that does not load) is a failure all the same.
if (broken > 0 && failed === 0) failed = broken;
// No tests at all is nothing to be proud of.
if (passed === 0 && failed === 0) failed = 1;

function notFailed(test) {
  return test.status !== "failed";
}

console.log(passed + " passed, " + failed + " failed, " + skipped + " skipped");
process.exitCode = failed > 0 || broken > 0 ? 1 : 0;
