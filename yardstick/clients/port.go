// A port in Go: `go build port.go`, asked by `refrank conform run ./port` (docs/port/another_language.md).
package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"sort"
	"strconv"
)

type object = map[string]any

var say = json.NewEncoder(os.Stdout).Encode // print nothing else
var offers = []string{"function quantize", "training ls"}

// answer answers a question; what is here is an example of each kind, and yours to change.
func answer(call string, given object) object {
	switch call {
	case "function quantize":
		cuts, codes := floats(given["cuts"]), []int{}
		for _, x := range floats(given["x"]) {
			codes = append(codes, sort.Search(len(cuts), func(i int) bool { return cuts[i] > x }))
		}
		return object{"value": codes}
	case "training ls":
		if given["weight"] != nil || given["parameters"].(object)["target"] != "2^k-1" {
			return object{"not offered": "weights, and other targets"}
		}
		y, sum := floats(given["y"]), 0.0
		for _, label := range y {
			sum += math.Exp2(label) - 1
		}
		say(object{"stage": "start", "at": object{}, "fields": object{"values": []string{text(sum / float64(len(y)))}}})
		return object{"value": nil}
	}
	return object{"not offered": call}
}

// floats reads an array, its entries in C order; those of uint64 take strconv.ParseUint.
func floats(array any) (entries []float64) {
	for _, value := range array.(object)["values"].([]any) {
		entry, _ := strconv.ParseFloat(fmt.Sprint(value), 64)
		entries = append(entries, entry)
	}
	return entries
}

// text writes a number: JSON has no NaN, no infinity, and in Go no -0.
func text(x float64) string { return strconv.FormatFloat(x, 'x', -1, 64) }

func main() {
	lines := json.NewDecoder(os.Stdin)
	lines.UseNumber() // as floats, integers of 64 bits would lose digits
	say(object{"name": "a port in Go", "offers": offers})
	for line := (object{}); lines.Decode(&line) == nil; line = (object{}) {
		say(answer(line["call"].(string), line["arguments"].(object)))
	}
}
